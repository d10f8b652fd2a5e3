// Rotary positions (arXiv:2104.09864), Llama's pairing: dimension i of a head turns with i + HEAD_DIM/2
// by the angle position · 10000^(−2i/HEAD_DIM). In place on the first `heads` heads of each row.
// The backward pass is the same turn the other way (direction −1).

struct Params {
  rows: u32,
  heads: u32,
  // Elements of a row of x; at least heads · HEAD_DIM.
  stride: u32,
  direction: f32,
}

// positions (rows)
@group(0) @binding(0) var<storage, read> positions: array<u32>;
// x (rows, stride)
@group(0) @binding(1) var<storage, read_write> x: array<f32>;
@group(0) @binding(2) var<uniform> params: Params;

const HALF = HEAD_DIM / 2u;

@compute @workgroup_size(64)
fn rotate(@builtin(global_invocation_id) id: vec3u) {
  let pairs = params.heads * HALF;
  let row = id.x / pairs;
  if (row >= params.rows) {
    return;
  }
  let head = (id.x % pairs) / HALF;
  let i = id.x % HALF;
  let frequency = exp2(-f32(i) / f32(HALF) * log2(10000.0));
  let angle = f32(positions[row]) * frequency * params.direction;
  let c = cos(angle);
  let s = sin(angle);
  let at = row * params.stride + head * HEAD_DIM + i;
  let low = x[at];
  let high = x[at + HALF];
  x[at] = low * c - high * s;
  x[at + HALF] = high * c + low * s;
}
