// The first and last step of an update's loss. token_scores computes each loss row's
// log-probability, entropy and value from the logits; logit_gradient propagates the derivatives
// with respect to these ("pulls") back to logits and values. surrogate.wgsl computes the loss in
// between.
//
// Loss rows that share a row of logits (a context that occurs several times) are consecutive: row l
// of a micro-batch has the loss rows starts[l] .. starts[l+1]-1. With temperature T and logits z,
//   p = softmax(z / T),  logp = log p[target],  H = −Σ p·log p.

struct Params {
  // Rows of logits.
  rows: u32,
  // Index of the micro-batch's first loss row in the update.
  first: u32,
  vocabulary: u32,
  // Elements per row of logits; the gradient of padding columns (from `vocabulary` on) is 0.
  stride: u32,
  temperature: f32,
}

@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> targets: array<u32>;
// (rows): value estimate, and three unused columns.
@group(0) @binding(3) var<storage, read> values: array<vec4f>;
// (rows): log Σ exp(z/T − max z/T), H.
@group(0) @binding(4) var<storage, read_write> softmax: array<vec2f>;
// (loss rows of the update, SCORE_COUNT): the columns SCORE_… of src/kernels/tables.ts.
@group(0) @binding(5) var<storage, read_write> scores: array<f32>;
// (loss rows): ∂loss/∂logp, −∂loss/∂H, ∂loss/∂value, 0.
@group(0) @binding(6) var<storage, read> pulls: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> dlogits: array<f32>;
// (rows): ∂loss/∂value, 0, 0, 0.
@group(0) @binding(8) var<storage, read_write> dvalues: array<vec4f>;
@group(0) @binding(9) var<uniform> params: Params;

fn largest(base: u32, beta: f32) -> f32 {
  var highest = -3.0e38;
  for (var v = 0u; v < params.vocabulary; v++) {
    highest = max(highest, logits[base + v] * beta);
  }
  return highest;
}

@compute @workgroup_size(64)
fn token_scores(@builtin(global_invocation_id) id: vec3u) {
  let row = global_index(id);
  if (row >= params.rows) {
    return;
  }
  let base = row * params.stride;
  let beta = 1.0 / params.temperature;
  let highest = largest(base, beta);
  var total = 0.0;
  var weighted = 0.0;
  for (var v = 0u; v < params.vocabulary; v++) {
    let shifted = logits[base + v] * beta - highest;
    let e = exp(shifted);
    total += e;
    weighted += e * shifted;
  }
  let log_total = log(total);
  // H = −Σ p·log p = log Σe − Σ e·shifted / Σe
  let entropy = log_total - weighted / total;
  softmax[row] = vec2f(log_total, entropy);
  for (var i = starts[row]; i < starts[row + 1u]; i++) {
    // Same order of operations as the sampler, so the same weights give the same bits.
    let logp = logits[base + targets[i]] * beta - highest - log_total;
    let at = SCORE_COUNT * (params.first + i);
    scores[at + SCORE_LOGP] = logp;
    scores[at + SCORE_ENTROPY] = entropy;
    scores[at + SCORE_VALUE] = values[row].x;
    scores[at + SCORE_UNUSED] = 0.0;
  }
}

// ∂logp_a/∂z_v = (1[v=a] − p_v)/T and ∂H/∂z_v = −p_v·(log p_v + H)/T, summed over the loss rows.
@compute @workgroup_size(64)
fn logit_gradient(@builtin(global_invocation_id) id: vec3u) {
  let row = global_index(id);
  if (row >= params.rows) {
    return;
  }
  let begin = starts[row];
  let end = starts[row + 1u];
  var pull = vec4f();
  for (var i = begin; i < end; i++) {
    pull += pulls[i];
  }
  dvalues[row] = vec4f(pull.z, 0.0, 0.0, 0.0);

  let base = row * params.stride;
  let beta = 1.0 / params.temperature;
  let highest = largest(base, beta);
  let log_total = softmax[row].x;
  let entropy = softmax[row].y;
  for (var v = 0u; v < params.stride; v++) {
    var d = 0.0;
    if (v < params.vocabulary) {
      let logp = logits[base + v] * beta - highest - log_total;
      d = exp(logp) * (pull.y * (logp + entropy) - pull.x) * beta;
    }
    dlogits[base + v] = d;
  }
  for (var i = begin; i < end; i++) {
    dlogits[base + targets[i]] += pulls[i].x * beta;
  }
}
