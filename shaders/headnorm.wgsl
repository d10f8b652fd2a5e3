// RMSNorm over each of the first `heads` heads of x (rows, slots · HEAD_DIM), with one gain shared
// by all heads (Qwen3, Gemma 3). The other slots are copied: in a row of keys and values, these are
// the values. rstd (rows, heads).

struct Params {
  rows: u32,
  // Normalized heads per row.
  heads: u32,
  // Heads per row; at least `heads`.
  slots: u32,
  // backward_gain: rows per partial sum.
  chunk: u32,
  epsilon: f32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> gain: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> rstd_out: array<f32>;
@group(0) @binding(4) var<storage, read> rstd: array<f32>;
// backward: dy (rows, slots · HEAD_DIM), overwritten by dx.
@group(0) @binding(5) var<storage, read_write> dy: array<vec4f>;
@group(0) @binding(6) var<storage, read> dy_in: array<vec4f>;
// dgain_partial (⌈rows/chunk⌉, HEAD_DIM); reduce.wgsl sums the parts.
@group(0) @binding(7) var<storage, read_write> dgain_partial: array<vec4f>;
@group(0) @binding(8) var<uniform> params: Params;

const DIM4 = HEAD_DIM / 4u;

// One invocation per slot.
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let row = id / params.slots;
  let slot = id % params.slots;
  if (row >= params.rows) {
    return;
  }
  let base = id * DIM4;
  if (slot >= params.heads) {
    for (var i = 0u; i < DIM4; i++) {
      y[base + i] = x[base + i];
    }
    return;
  }
  var squares = 0.0;
  for (var i = 0u; i < DIM4; i++) {
    let v = x[base + i];
    squares += dot(v, v);
  }
  let scale = inverseSqrt(squares / f32(HEAD_DIM) + params.epsilon);
  rstd_out[row * params.heads + slot] = scale;
  for (var i = 0u; i < DIM4; i++) {
    y[base + i] = x[base + i] * scale * gain[i];
  }
}

// With x̂ = x·rstd and dx̂ = dy·gain: dx = rstd · (dx̂ − x̂ · mean(dx̂·x̂)). One invocation per
// normalized head.
@compute @workgroup_size(64)
fn backward(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let row = id / params.heads;
  if (row >= params.rows) {
    return;
  }
  let base = (row * params.slots + id % params.heads) * DIM4;
  let scale = rstd[id];
  var along = 0.0;
  for (var i = 0u; i < DIM4; i++) {
    along += dot(dy[base + i] * gain[i], x[base + i]);
  }
  along *= scale / f32(HEAD_DIM);
  for (var i = 0u; i < DIM4; i++) {
    dy[base + i] = scale * (dy[base + i] * gain[i] - x[base + i] * scale * along);
  }
}

@compute @workgroup_size(64)
fn backward_gain(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let lane = id % DIM4;
  let begin = id / DIM4 * params.chunk;
  if (begin >= params.rows) {
    return;
  }
  var sum = vec4f();
  for (var row = begin; row < min(begin + params.chunk, params.rows); row++) {
    for (var head = 0u; head < params.heads; head++) {
      let at = (row * params.slots + head) * DIM4 + lane;
      sum += dy_in[at] * x[at] * rstd[row * params.heads + head];
    }
  }
  dgain_partial[id] = sum;
}
