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

// (cos, sin) of an angle of any size to float32's precision. The built-in functions promise 2⁻¹¹, and
// that between −π and π only; positions are past π after three tokens. Reduced by quarter turns in
// three parts (Cody and Waite), whose first two products are exact, then polynomials (Cephes, sinf).
fn direction_of(angle: f32) -> vec2f {
  let quarter = round(angle * 0.63661977);
  let x = ((angle - quarter * 1.5703125) - quarter * 4.8375129699707e-4) - quarter * 7.5497899548919e-8;
  let z = x * x;
  let s = ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * x + x;
  let c = ((2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2) * z * z
    - 0.5 * z + 1.0;
  let turned = select(vec2f(c, s), vec2f(-s, c), (i32(quarter) & 1) == 1);
  return select(turned, -turned, (i32(quarter) & 2) == 2);
}

// One invocation turns the same pair of every head: they share the angle.
@compute @workgroup_size(64)
fn rotate(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x / HALF;
  if (row >= params.rows) {
    return;
  }
  let i = id.x % HALF;
  let frequency = exp2(-f32(i) / f32(HALF) * log2(10000.0));
  let angle = f32(positions[row]) * frequency * params.direction;
  let turn = direction_of(angle);
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
