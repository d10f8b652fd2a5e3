// Rotary position embedding (arXiv:2104.09864) with Llama's pairing: dimensions i and
// i + HEAD_DIM/2 of a head are rotated by the angle position · 10000^(−2i/HEAD_DIM). Prepended to
// the kernels that use it.

// (cos, sin) of an angle of any magnitude to float32 precision. The built-in functions only
// guarantee an error of 2⁻¹¹, and only between −π and π, which angles exceed after three tokens.
// Range reduction by multiples of π/2 in three parts (Cody and Waite), whose first two products are
// exact, then polynomials (Cephes, sinf).
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

// Angle per position of dimension i, in a head of 2 · half dimensions.
fn frequency_of(i: u32, half: u32) -> f32 {
  return exp2(-f32(i) / f32(half) * log2(10000.0));
}
