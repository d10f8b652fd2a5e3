// Causal attention over packed sequences, streaming softmax (arXiv:2205.14135, without its tiles).
//
// A query row r attends to the rows bases[r] .. bases[r] + positions[r] of `kv`, so the same code reads
// a packed batch (base = first row of the sequence) and a key–value cache (base = first row of the slot).
//   q, o, do, dq (rows, HEADS · HEAD_DIM);   lse, delta (rows, HEADS)
//   kv, dkv (store rows, 2 · KV_HEADS · HEAD_DIM): keys of all heads, then values of all heads
// Query heads share key–value heads in order: head h reads kv head h / (HEADS / KV_HEADS).

struct Params {
  // Query rows; for backward_kv, key rows.
  rows: u32,
}

@group(0) @binding(0) var<storage, read> q: array<vec4f>;
@group(0) @binding(1) var<storage, read> kv: array<vec4f>;
@group(0) @binding(2) var<storage, read> spans: array<u32>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> lse_out: array<f32>;
@group(0) @binding(5) var<storage, read> o_in: array<vec4f>;
@group(0) @binding(6) var<storage, read> lse: array<f32>;
@group(0) @binding(7) var<storage, read> do_in: array<vec4f>;
@group(0) @binding(8) var<storage, read_write> dq: array<vec4f>;
@group(0) @binding(9) var<storage, read_write> delta_out: array<f32>;
@group(0) @binding(10) var<storage, read> delta: array<f32>;
@group(0) @binding(11) var<storage, read_write> dkv: array<vec4f>;
@group(0) @binding(12) var<uniform> params: Params;

const DIM4 = HEAD_DIM / 4u;
const GROUP = HEADS / KV_HEADS;
const KV_STRIDE4 = 2u * KV_HEADS * DIM4;
const VALUE_OFFSET4 = KV_HEADS * DIM4;

fn scale() -> f32 {
  return inverseSqrt(f32(HEAD_DIM));
}

// spans (rows, 2): first key row, number of keys.
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x / HEADS;
  if (row >= params.rows) {
    return;
  }
  let head = id.x % HEADS;
  let base = spans[row * 2u];
  let keys = spans[row * 2u + 1u];
  var query: array<vec4f, DIM4>;
  var sum: array<vec4f, DIM4>;
  for (var d = 0u; d < DIM4; d++) {
    query[d] = q[id.x * DIM4 + d] * scale();
    sum[d] = vec4f();
  }
  var highest = -3.0e38;
  var total = 0.0;
  for (var j = 0u; j < keys; j++) {
    let key = (base + j) * KV_STRIDE4 + (head / GROUP) * DIM4;
    var score = 0.0;
    for (var d = 0u; d < DIM4; d++) {
      score += dot(query[d], kv[key + d]);
    }
    if (score > highest) {
      let shrink = exp(highest - score);
      total *= shrink;
      for (var d = 0u; d < DIM4; d++) {
        sum[d] *= shrink;
      }
      highest = score;
    }
    let weight = exp(score - highest);
    total += weight;
    for (var d = 0u; d < DIM4; d++) {
      sum[d] += weight * kv[key + VALUE_OFFSET4 + d];
    }
  }
  for (var d = 0u; d < DIM4; d++) {
    o[id.x * DIM4 + d] = sum[d] / total;
  }
  lse_out[id.x] = highest + log(total);
}

// With p = exp(s − lse): ds = p · (do·v − delta), delta = do·o; dq = Σ ds · k / √HEAD_DIM.
@compute @workgroup_size(64)
fn backward_query(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x / HEADS;
  if (row >= params.rows) {
    return;
  }
  let head = id.x % HEADS;
  let base = spans[row * 2u];
  let keys = spans[row * 2u + 1u];
  var query: array<vec4f, DIM4>;
  var dout: array<vec4f, DIM4>;
  var sum: array<vec4f, DIM4>;
  var along = 0.0;
  for (var d = 0u; d < DIM4; d++) {
    query[d] = q[id.x * DIM4 + d] * scale();
    dout[d] = do_in[id.x * DIM4 + d];
    along += dot(dout[d], o_in[id.x * DIM4 + d]);
    sum[d] = vec4f();
  }
  let log_total = lse[id.x];
  for (var j = 0u; j < keys; j++) {
    let key = (base + j) * KV_STRIDE4 + (head / GROUP) * DIM4;
    var score = 0.0;
    var dp = 0.0;
    for (var d = 0u; d < DIM4; d++) {
      score += dot(query[d], kv[key + d]);
      dp += dot(dout[d], kv[key + VALUE_OFFSET4 + d]);
    }
    let ds = exp(score - log_total) * (dp - along);
    for (var d = 0u; d < DIM4; d++) {
      sum[d] += ds * kv[key + d];
    }
  }
  for (var d = 0u; d < DIM4; d++) {
    dq[id.x * DIM4 + d] = sum[d] * scale();
  }
  delta_out[id.x] = along;
}

// spans (rows, 2): the query rows [begin, end) that attend to this key row.
// dv = Σ p · do; dk = Σ ds · q / √HEAD_DIM.
@compute @workgroup_size(64)
fn backward_kv(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x / KV_HEADS;
  if (row >= params.rows) {
    return;
  }
  let kv_head = id.x % KV_HEADS;
  let at = row * KV_STRIDE4 + kv_head * DIM4;
  var key: array<vec4f, DIM4>;
  var value: array<vec4f, DIM4>;
  var dkey: array<vec4f, DIM4>;
  var dvalue: array<vec4f, DIM4>;
  for (var d = 0u; d < DIM4; d++) {
    key[d] = kv[at + d] * scale();
    value[d] = kv[at + VALUE_OFFSET4 + d];
    dkey[d] = vec4f();
    dvalue[d] = vec4f();
  }
  for (var r = spans[row * 2u]; r < spans[row * 2u + 1u]; r++) {
    for (var g = 0u; g < GROUP; g++) {
      let lane = r * HEADS + kv_head * GROUP + g;
      var score = 0.0;
      var dp = 0.0;
      for (var d = 0u; d < DIM4; d++) {
        score += dot(q[lane * DIM4 + d], key[d]);
        dp += dot(do_in[lane * DIM4 + d], value[d]);
      }
      let p = exp(score - lse[lane]);
      let ds = p * (dp - delta[lane]);
      for (var d = 0u; d < DIM4; d++) {
        dvalue[d] += p * do_in[lane * DIM4 + d];
        dkey[d] += ds * q[lane * DIM4 + d];
      }
    }
  }
  for (var d = 0u; d < DIM4; d++) {
    dkv[at + d] = dkey[d] * scale();
    dkv[at + VALUE_OFFSET4 + d] = dvalue[d];
  }
}
