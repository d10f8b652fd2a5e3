// Rotary position embedding (rotation.wgsl) with base `theta`, in place on the first `heads` heads
// of each row. The backward pass rotates in the opposite direction (direction = −1).

struct Params {
  rows: u32,
  heads: u32,
  // Elements per row of x; at least heads · HEAD_DIM.
  stride: u32,
  direction: f32,
  theta: f32,
  // Computed on the host, so that it has the same bits as the constant in rotation.wgsl.
  log2_theta: f32,
}

// positions (rows)
@group(0) @binding(0) var<storage, read> positions: array<u32>;
// x (rows, stride)
@group(0) @binding(1) var<storage, read_write> x: array<f32>;
@group(0) @binding(2) var<uniform> params: Params;

const HALF = HEAD_DIM / 2u;

// One invocation rotates the same pair in every head, because they share the angle.
@compute @workgroup_size(64)
fn rotate(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let row = id / HALF;
  if (row >= params.rows) {
    return;
  }
  let i = id % HALF;
  let frequency = exp2(-f32(i) / f32(HALF) * params.log2_theta);
  let turn = direction_of(f32(positions[row]) * frequency * params.direction);
  let c = turn.x;
  let s = turn.y;
  let begin = row * params.stride + i;
  let end = begin + params.heads * HEAD_DIM;
  for (var at = begin; at < end; at += HEAD_DIM) {
    let low = x[at];
    let high = x[at + HALF];
    x[at] = low * c - high * s;
    x[at + HALF] = high * c + low * s;
  }
}
