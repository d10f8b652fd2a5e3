// The clipped surrogate (PPO, arXiv:1707.06347, Eq. 7; bounds as ratios) from logits to logit gradients
// and per-token statistics, in one pass.
//
// Loss rows that share a logits row (the same context met several times) are consecutive:
// logits row l has the loss rows starts[l] .. starts[l+1]-1.
//   logits, dlogits (logits rows, stride);  targets, behaviour_logps, advantages, weights (loss rows)
//   stats (loss rows, 8): weighted loss, entropy, (ratio−1)−logratio, ratio, clipped low, clipped high,
//                         log-probability, reserved 0
// The loss of a row is weight · (−min(ratio·A, clip(ratio)·A) − entropy_coef · H).

struct Params {
  rows: u32,
  vocabulary: u32,
  // Elements of a row of logits; the columns from `vocabulary` on get gradient 0.
  stride: u32,
  clip_low: f32,
  clip_high: f32,
  entropy_coef: f32,
  temperature: f32,
}

@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> targets: array<u32>;
// (loss rows, 3): behaviour log-probability, advantage, weight.
@group(0) @binding(3) var<storage, read> scalars: array<f32>;
@group(0) @binding(4) var<storage, read_write> dlogits: array<f32>;
@group(0) @binding(5) var<storage, read_write> stats: array<f32>;
@group(0) @binding(6) var<uniform> params: Params;

@compute @workgroup_size(64)
fn ppo_clip(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x;
  if (row >= params.rows) {
    return;
  }
  let base = row * params.stride;
  let beta = 1.0 / params.temperature;
  var highest = -3.0e38;
  for (var v = 0u; v < params.vocabulary; v++) {
    highest = max(highest, logits[base + v] * beta);
  }
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

  // Σ over this row's tokens of ∂loss/∂logp, and of the entropy weights.
  var pull = 0.0;
  var entropy_weight = 0.0;
  for (var i = starts[row]; i < starts[row + 1u]; i++) {
    let logp = logits[base + targets[i]] * beta - highest - log_total;
    let advantage = scalars[i * 3u + 1u];
    let weight = scalars[i * 3u + 2u];
    let logratio = logp - scalars[i * 3u];
    let ratio = exp(logratio);
    let pg_loss1 = -advantage * ratio;
    let pg_loss2 = -advantage * clamp(ratio, params.clip_low, params.clip_high);
    // The gradient vanishes exactly where the clipped branch is the larger loss.
    let clipped_low = advantage < 0.0 && ratio < params.clip_low;
    let clipped_high = advantage > 0.0 && ratio > params.clip_high;
    if (!clipped_low && !clipped_high) {
      pull -= weight * advantage * ratio;
    }
    entropy_weight += weight * params.entropy_coef;
    let out = i * 8u;
    stats[out] = weight * (max(pg_loss1, pg_loss2) - params.entropy_coef * entropy);
    stats[out + 1u] = entropy;
    stats[out + 2u] = (ratio - 1.0) - logratio;
    stats[out + 3u] = ratio;
    stats[out + 4u] = select(0.0, 1.0, clipped_low);
    stats[out + 5u] = select(0.0, 1.0, clipped_high);
    stats[out + 6u] = logp;
    stats[out + 7u] = 0.0;
  }

  // ∂logp_a/∂z_v = (1[v=a] − p_v)/T and ∂H/∂z_v = −p_v·(log p_v + H)/T.
  for (var v = 0u; v < params.stride; v++) {
    var d = 0.0;
    if (v < params.vocabulary) {
      let logp = logits[base + v] * beta - highest - log_total;
      d = exp(logp) * (entropy_weight * (logp + entropy) - pull) * beta;
    }
    dlogits[base + v] = d;
  }
  for (var i = starts[row]; i < starts[row + 1u]; i++) {
    let advantage = scalars[i * 3u + 1u];
    let ratio = stats[i * 8u + 3u];
    if (stats[i * 8u + 4u] == 0.0 && stats[i * 8u + 5u] == 0.0) {
      dlogits[base + targets[i]] -= scalars[i * 3u + 2u] * advantage * ratio * beta;
    }
  }
}

// totals (8) (+)= Σ stats over `rows` loss rows, by 8 invocations, one a column.
@group(0) @binding(7) var<storage, read> row_stats: array<f32>;
@group(0) @binding(8) var<storage, read_write> totals: array<f32>;

@compute @workgroup_size(8)
fn sum_stats(@builtin(local_invocation_id) id: vec3u) {
  var sum = 0.0;
  var rest = 0.0;
  // Kahan's compensated sum: thousands of rows would cost digits otherwise.
  for (var i = 0u; i < params.rows; i++) {
    let value = row_stats[i * 8u + id.x] - rest;
    let next = sum + value;
    rest = (next - sum) - value;
    sum = next;
  }
  totals[id.x] += sum;
}
