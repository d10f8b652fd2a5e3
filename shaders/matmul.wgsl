// Matrix products with register tiles; no workgroup memory, so any row count runs.
//
// nn: C (rows, columns)  = A (rows, inner) · B (inner, columns) [+ residual (rows, columns)]
// nt: C (rows, columns) (+)= A (rows, inner) · B (columns, inner)ᵀ
// tn: partial (splits, rows, columns): split s holds Σ A (t, rows)ᵀ · B (t, columns) over its share
//     of t = 0 .. inner-1; reduce.wgsl adds the splits up.
//
// `inner` and `columns` are multiples of 4 (for tn: `rows` and `columns`). The sum over `inner` always
// runs in ascending order, so a row's result does not depend on which other rows are computed beside it.

struct Params {
  rows: u32,
  inner: u32,
  columns: u32,
  // nt: 1 adds to C instead of overwriting it. tn: length of a split.
  mode: u32,
}

@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read> b: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4f>;
@group(0) @binding(3) var<storage, read> residual: array<vec4f>;
@group(0) @binding(4) var<uniform> params: Params;

@compute @workgroup_size(4, 16)
fn nn(@builtin(global_invocation_id) id: vec3u) {
  let columns4 = params.columns / 4u;
  let inner4 = params.inner / 4u;
  let column = id.x * 2u;
  let row = id.y * 8u;
  if (column >= columns4 || row >= params.rows) {
    return;
  }
  let last = params.rows - 1u;
  let second = min(column + 1u, columns4 - 1u);
  let r0 = min(row + 0u, last);
  let r1 = min(row + 1u, last);
  let r2 = min(row + 2u, last);
  let r3 = min(row + 3u, last);
  let r4 = min(row + 4u, last);
  let r5 = min(row + 5u, last);
  let r6 = min(row + 6u, last);
  let r7 = min(row + 7u, last);
  var c00 = vec4f();
  var c01 = vec4f();
  var c10 = vec4f();
  var c11 = vec4f();
  var c20 = vec4f();
  var c21 = vec4f();
  var c30 = vec4f();
  var c31 = vec4f();
  var c40 = vec4f();
  var c41 = vec4f();
  var c50 = vec4f();
  var c51 = vec4f();
  var c60 = vec4f();
  var c61 = vec4f();
  var c70 = vec4f();
  var c71 = vec4f();
  for (var k = 0u; k < inner4; k++) {
    let a0 = a[r0 * inner4 + k];
    let a1 = a[r1 * inner4 + k];
    let a2 = a[r2 * inner4 + k];
    let a3 = a[r3 * inner4 + k];
    let a4 = a[r4 * inner4 + k];
    let a5 = a[r5 * inner4 + k];
    let a6 = a[r6 * inner4 + k];
    let a7 = a[r7 * inner4 + k];
    let b00 = b[(k * 4u + 0u) * columns4 + column];
    let b01 = b[(k * 4u + 0u) * columns4 + second];
    c00 = fma(vec4f(a0.x), b00, c00);
    c01 = fma(vec4f(a0.x), b01, c01);
    c10 = fma(vec4f(a1.x), b00, c10);
    c11 = fma(vec4f(a1.x), b01, c11);
    c20 = fma(vec4f(a2.x), b00, c20);
    c21 = fma(vec4f(a2.x), b01, c21);
    c30 = fma(vec4f(a3.x), b00, c30);
    c31 = fma(vec4f(a3.x), b01, c31);
    c40 = fma(vec4f(a4.x), b00, c40);
    c41 = fma(vec4f(a4.x), b01, c41);
    c50 = fma(vec4f(a5.x), b00, c50);
    c51 = fma(vec4f(a5.x), b01, c51);
    c60 = fma(vec4f(a6.x), b00, c60);
    c61 = fma(vec4f(a6.x), b01, c61);
    c70 = fma(vec4f(a7.x), b00, c70);
    c71 = fma(vec4f(a7.x), b01, c71);
    let b10 = b[(k * 4u + 1u) * columns4 + column];
    let b11 = b[(k * 4u + 1u) * columns4 + second];
    c00 = fma(vec4f(a0.y), b10, c00);
    c01 = fma(vec4f(a0.y), b11, c01);
    c10 = fma(vec4f(a1.y), b10, c10);
    c11 = fma(vec4f(a1.y), b11, c11);
    c20 = fma(vec4f(a2.y), b10, c20);
    c21 = fma(vec4f(a2.y), b11, c21);
    c30 = fma(vec4f(a3.y), b10, c30);
    c31 = fma(vec4f(a3.y), b11, c31);
    c40 = fma(vec4f(a4.y), b10, c40);
    c41 = fma(vec4f(a4.y), b11, c41);
    c50 = fma(vec4f(a5.y), b10, c50);
    c51 = fma(vec4f(a5.y), b11, c51);
    c60 = fma(vec4f(a6.y), b10, c60);
    c61 = fma(vec4f(a6.y), b11, c61);
    c70 = fma(vec4f(a7.y), b10, c70);
    c71 = fma(vec4f(a7.y), b11, c71);
    let b20 = b[(k * 4u + 2u) * columns4 + column];
    let b21 = b[(k * 4u + 2u) * columns4 + second];
    c00 = fma(vec4f(a0.z), b20, c00);
    c01 = fma(vec4f(a0.z), b21, c01);
    c10 = fma(vec4f(a1.z), b20, c10);
    c11 = fma(vec4f(a1.z), b21, c11);
    c20 = fma(vec4f(a2.z), b20, c20);
    c21 = fma(vec4f(a2.z), b21, c21);
    c30 = fma(vec4f(a3.z), b20, c30);
    c31 = fma(vec4f(a3.z), b21, c31);
    c40 = fma(vec4f(a4.z), b20, c40);
    c41 = fma(vec4f(a4.z), b21, c41);
    c50 = fma(vec4f(a5.z), b20, c50);
    c51 = fma(vec4f(a5.z), b21, c51);
    c60 = fma(vec4f(a6.z), b20, c60);
    c61 = fma(vec4f(a6.z), b21, c61);
    c70 = fma(vec4f(a7.z), b20, c70);
    c71 = fma(vec4f(a7.z), b21, c71);
    let b30 = b[(k * 4u + 3u) * columns4 + column];
    let b31 = b[(k * 4u + 3u) * columns4 + second];
    c00 = fma(vec4f(a0.w), b30, c00);
    c01 = fma(vec4f(a0.w), b31, c01);
    c10 = fma(vec4f(a1.w), b30, c10);
    c11 = fma(vec4f(a1.w), b31, c11);
    c20 = fma(vec4f(a2.w), b30, c20);
    c21 = fma(vec4f(a2.w), b31, c21);
    c30 = fma(vec4f(a3.w), b30, c30);
    c31 = fma(vec4f(a3.w), b31, c31);
    c40 = fma(vec4f(a4.w), b30, c40);
    c41 = fma(vec4f(a4.w), b31, c41);
    c50 = fma(vec4f(a5.w), b30, c50);
    c51 = fma(vec4f(a5.w), b31, c51);
    c60 = fma(vec4f(a6.w), b30, c60);
    c61 = fma(vec4f(a6.w), b31, c61);
    c70 = fma(vec4f(a7.w), b30, c70);
    c71 = fma(vec4f(a7.w), b31, c71);
  }
  c[r0 * columns4 + column] = c00;
  c[r0 * columns4 + second] = c01;
  if (row + 1u < params.rows) {
    c[r1 * columns4 + column] = c10;
    c[r1 * columns4 + second] = c11;
  }
  if (row + 2u < params.rows) {
    c[r2 * columns4 + column] = c20;
    c[r2 * columns4 + second] = c21;
  }
  if (row + 3u < params.rows) {
    c[r3 * columns4 + column] = c30;
    c[r3 * columns4 + second] = c31;
  }
  if (row + 4u < params.rows) {
    c[r4 * columns4 + column] = c40;
    c[r4 * columns4 + second] = c41;
  }
  if (row + 5u < params.rows) {
    c[r5 * columns4 + column] = c50;
    c[r5 * columns4 + second] = c51;
  }
  if (row + 6u < params.rows) {
    c[r6 * columns4 + column] = c60;
    c[r6 * columns4 + second] = c61;
  }
  if (row + 7u < params.rows) {
    c[r7 * columns4 + column] = c70;
    c[r7 * columns4 + second] = c71;
  }
}

@compute @workgroup_size(4, 16)
fn nn_residual(@builtin(global_invocation_id) id: vec3u) {
  let columns4 = params.columns / 4u;
  let inner4 = params.inner / 4u;
  let column = id.x * 2u;
  let row = id.y * 8u;
  if (column >= columns4 || row >= params.rows) {
    return;
  }
  let last = params.rows - 1u;
  let second = min(column + 1u, columns4 - 1u);
  let r0 = min(row + 0u, last);
  let r1 = min(row + 1u, last);
  let r2 = min(row + 2u, last);
  let r3 = min(row + 3u, last);
  let r4 = min(row + 4u, last);
  let r5 = min(row + 5u, last);
  let r6 = min(row + 6u, last);
  let r7 = min(row + 7u, last);
  var c00 = vec4f();
  var c01 = vec4f();
  var c10 = vec4f();
  var c11 = vec4f();
  var c20 = vec4f();
  var c21 = vec4f();
  var c30 = vec4f();
  var c31 = vec4f();
  var c40 = vec4f();
  var c41 = vec4f();
  var c50 = vec4f();
  var c51 = vec4f();
  var c60 = vec4f();
  var c61 = vec4f();
  var c70 = vec4f();
  var c71 = vec4f();
  for (var k = 0u; k < inner4; k++) {
    let a0 = a[r0 * inner4 + k];
    let a1 = a[r1 * inner4 + k];
    let a2 = a[r2 * inner4 + k];
    let a3 = a[r3 * inner4 + k];
    let a4 = a[r4 * inner4 + k];
    let a5 = a[r5 * inner4 + k];
    let a6 = a[r6 * inner4 + k];
    let a7 = a[r7 * inner4 + k];
    let b00 = b[(k * 4u + 0u) * columns4 + column];
    let b01 = b[(k * 4u + 0u) * columns4 + second];
    c00 = fma(vec4f(a0.x), b00, c00);
    c01 = fma(vec4f(a0.x), b01, c01);
    c10 = fma(vec4f(a1.x), b00, c10);
    c11 = fma(vec4f(a1.x), b01, c11);
    c20 = fma(vec4f(a2.x), b00, c20);
    c21 = fma(vec4f(a2.x), b01, c21);
    c30 = fma(vec4f(a3.x), b00, c30);
    c31 = fma(vec4f(a3.x), b01, c31);
    c40 = fma(vec4f(a4.x), b00, c40);
    c41 = fma(vec4f(a4.x), b01, c41);
    c50 = fma(vec4f(a5.x), b00, c50);
    c51 = fma(vec4f(a5.x), b01, c51);
    c60 = fma(vec4f(a6.x), b00, c60);
    c61 = fma(vec4f(a6.x), b01, c61);
    c70 = fma(vec4f(a7.x), b00, c70);
    c71 = fma(vec4f(a7.x), b01, c71);
    let b10 = b[(k * 4u + 1u) * columns4 + column];
    let b11 = b[(k * 4u + 1u) * columns4 + second];
    c00 = fma(vec4f(a0.y), b10, c00);
    c01 = fma(vec4f(a0.y), b11, c01);
    c10 = fma(vec4f(a1.y), b10, c10);
    c11 = fma(vec4f(a1.y), b11, c11);
    c20 = fma(vec4f(a2.y), b10, c20);
    c21 = fma(vec4f(a2.y), b11, c21);
    c30 = fma(vec4f(a3.y), b10, c30);
    c31 = fma(vec4f(a3.y), b11, c31);
    c40 = fma(vec4f(a4.y), b10, c40);
    c41 = fma(vec4f(a4.y), b11, c41);
    c50 = fma(vec4f(a5.y), b10, c50);
    c51 = fma(vec4f(a5.y), b11, c51);
    c60 = fma(vec4f(a6.y), b10, c60);
    c61 = fma(vec4f(a6.y), b11, c61);
    c70 = fma(vec4f(a7.y), b10, c70);
    c71 = fma(vec4f(a7.y), b11, c71);
    let b20 = b[(k * 4u + 2u) * columns4 + column];
    let b21 = b[(k * 4u + 2u) * columns4 + second];
    c00 = fma(vec4f(a0.z), b20, c00);
    c01 = fma(vec4f(a0.z), b21, c01);
    c10 = fma(vec4f(a1.z), b20, c10);
    c11 = fma(vec4f(a1.z), b21, c11);
    c20 = fma(vec4f(a2.z), b20, c20);
    c21 = fma(vec4f(a2.z), b21, c21);
    c30 = fma(vec4f(a3.z), b20, c30);
    c31 = fma(vec4f(a3.z), b21, c31);
    c40 = fma(vec4f(a4.z), b20, c40);
    c41 = fma(vec4f(a4.z), b21, c41);
    c50 = fma(vec4f(a5.z), b20, c50);
    c51 = fma(vec4f(a5.z), b21, c51);
    c60 = fma(vec4f(a6.z), b20, c60);
    c61 = fma(vec4f(a6.z), b21, c61);
    c70 = fma(vec4f(a7.z), b20, c70);
    c71 = fma(vec4f(a7.z), b21, c71);
    let b30 = b[(k * 4u + 3u) * columns4 + column];
    let b31 = b[(k * 4u + 3u) * columns4 + second];
    c00 = fma(vec4f(a0.w), b30, c00);
    c01 = fma(vec4f(a0.w), b31, c01);
    c10 = fma(vec4f(a1.w), b30, c10);
    c11 = fma(vec4f(a1.w), b31, c11);
    c20 = fma(vec4f(a2.w), b30, c20);
    c21 = fma(vec4f(a2.w), b31, c21);
    c30 = fma(vec4f(a3.w), b30, c30);
    c31 = fma(vec4f(a3.w), b31, c31);
    c40 = fma(vec4f(a4.w), b30, c40);
    c41 = fma(vec4f(a4.w), b31, c41);
    c50 = fma(vec4f(a5.w), b30, c50);
    c51 = fma(vec4f(a5.w), b31, c51);
    c60 = fma(vec4f(a6.w), b30, c60);
    c61 = fma(vec4f(a6.w), b31, c61);
    c70 = fma(vec4f(a7.w), b30, c70);
    c71 = fma(vec4f(a7.w), b31, c71);
  }
  c[r0 * columns4 + column] = c00 + residual[r0 * columns4 + column];
  c[r0 * columns4 + second] = c01 + residual[r0 * columns4 + second];
  if (row + 1u < params.rows) {
    c[r1 * columns4 + column] = c10 + residual[r1 * columns4 + column];
    c[r1 * columns4 + second] = c11 + residual[r1 * columns4 + second];
  }
  if (row + 2u < params.rows) {
    c[r2 * columns4 + column] = c20 + residual[r2 * columns4 + column];
    c[r2 * columns4 + second] = c21 + residual[r2 * columns4 + second];
  }
  if (row + 3u < params.rows) {
    c[r3 * columns4 + column] = c30 + residual[r3 * columns4 + column];
    c[r3 * columns4 + second] = c31 + residual[r3 * columns4 + second];
  }
  if (row + 4u < params.rows) {
    c[r4 * columns4 + column] = c40 + residual[r4 * columns4 + column];
    c[r4 * columns4 + second] = c41 + residual[r4 * columns4 + second];
  }
  if (row + 5u < params.rows) {
    c[r5 * columns4 + column] = c50 + residual[r5 * columns4 + column];
    c[r5 * columns4 + second] = c51 + residual[r5 * columns4 + second];
  }
  if (row + 6u < params.rows) {
    c[r6 * columns4 + column] = c60 + residual[r6 * columns4 + column];
    c[r6 * columns4 + second] = c61 + residual[r6 * columns4 + second];
  }
  if (row + 7u < params.rows) {
    c[r7 * columns4 + column] = c70 + residual[r7 * columns4 + column];
    c[r7 * columns4 + second] = c71 + residual[r7 * columns4 + second];
  }
}

@compute @workgroup_size(8, 8)
fn nt(@builtin(global_invocation_id) id: vec3u) {
  let columns4 = params.columns / 4u;
  let inner4 = params.inner / 4u;
  let column = id.x;
  let row = id.y * 8u;
  if (column >= columns4 || row >= params.rows) {
    return;
  }
  let last = params.rows - 1u;
  let r0 = min(row + 0u, last);
  let r1 = min(row + 1u, last);
  let r2 = min(row + 2u, last);
  let r3 = min(row + 3u, last);
  let r4 = min(row + 4u, last);
  let r5 = min(row + 5u, last);
  let r6 = min(row + 6u, last);
  let r7 = min(row + 7u, last);
  var c0 = vec4f();
  var c1 = vec4f();
  var c2 = vec4f();
  var c3 = vec4f();
  var c4 = vec4f();
  var c5 = vec4f();
  var c6 = vec4f();
  var c7 = vec4f();
  for (var k = 0u; k < inner4; k++) {
    let b0 = b[(column * 4u + 0u) * inner4 + k];
    let b1 = b[(column * 4u + 1u) * inner4 + k];
    let b2 = b[(column * 4u + 2u) * inner4 + k];
    let b3 = b[(column * 4u + 3u) * inner4 + k];
    let a0 = a[r0 * inner4 + k];
    c0 += vec4f(dot(a0, b0), dot(a0, b1), dot(a0, b2), dot(a0, b3));
    let a1 = a[r1 * inner4 + k];
    c1 += vec4f(dot(a1, b0), dot(a1, b1), dot(a1, b2), dot(a1, b3));
    let a2 = a[r2 * inner4 + k];
    c2 += vec4f(dot(a2, b0), dot(a2, b1), dot(a2, b2), dot(a2, b3));
    let a3 = a[r3 * inner4 + k];
    c3 += vec4f(dot(a3, b0), dot(a3, b1), dot(a3, b2), dot(a3, b3));
    let a4 = a[r4 * inner4 + k];
    c4 += vec4f(dot(a4, b0), dot(a4, b1), dot(a4, b2), dot(a4, b3));
    let a5 = a[r5 * inner4 + k];
    c5 += vec4f(dot(a5, b0), dot(a5, b1), dot(a5, b2), dot(a5, b3));
    let a6 = a[r6 * inner4 + k];
    c6 += vec4f(dot(a6, b0), dot(a6, b1), dot(a6, b2), dot(a6, b3));
    let a7 = a[r7 * inner4 + k];
    c7 += vec4f(dot(a7, b0), dot(a7, b1), dot(a7, b2), dot(a7, b3));
  }
  let at0 = r0 * columns4 + column;
  if (params.mode == 1u) {
    c0 += c[at0];
  }
  c[at0] = c0;
  if (row + 1u < params.rows) {
    let at1 = r1 * columns4 + column;
    if (params.mode == 1u) {
      c1 += c[at1];
    }
    c[at1] = c1;
  }
  if (row + 2u < params.rows) {
    let at2 = r2 * columns4 + column;
    if (params.mode == 1u) {
      c2 += c[at2];
    }
    c[at2] = c2;
  }
  if (row + 3u < params.rows) {
    let at3 = r3 * columns4 + column;
    if (params.mode == 1u) {
      c3 += c[at3];
    }
    c[at3] = c3;
  }
  if (row + 4u < params.rows) {
    let at4 = r4 * columns4 + column;
    if (params.mode == 1u) {
      c4 += c[at4];
    }
    c[at4] = c4;
  }
  if (row + 5u < params.rows) {
    let at5 = r5 * columns4 + column;
    if (params.mode == 1u) {
      c5 += c[at5];
    }
    c[at5] = c5;
  }
  if (row + 6u < params.rows) {
    let at6 = r6 * columns4 + column;
    if (params.mode == 1u) {
      c6 += c[at6];
    }
    c[at6] = c6;
  }
  if (row + 7u < params.rows) {
    let at7 = r7 * columns4 + column;
    if (params.mode == 1u) {
      c7 += c[at7];
    }
    c[at7] = c7;
  }
}

@compute @workgroup_size(4, 4)
fn tn(@builtin(global_invocation_id) id: vec3u) {
  let columns4 = params.columns / 4u;
  let rows4 = params.rows / 4u;
  let column = id.x * 2u;
  let row = id.y * 2u;
  if (column >= columns4 || row >= rows4) {
    return;
  }
  let column1 = min(column + 1u, columns4 - 1u);
  let row1 = min(row + 1u, rows4 - 1u);
  var c00 = vec4f();
  var c01 = vec4f();
  var c10 = vec4f();
  var c11 = vec4f();
  var c20 = vec4f();
  var c21 = vec4f();
  var c30 = vec4f();
  var c31 = vec4f();
  var c40 = vec4f();
  var c41 = vec4f();
  var c50 = vec4f();
  var c51 = vec4f();
  var c60 = vec4f();
  var c61 = vec4f();
  var c70 = vec4f();
  var c71 = vec4f();
  let begin = id.z * params.mode;
  let end = min(begin + params.mode, params.inner);
  for (var t = begin; t < end; t++) {
    let a0 = a[t * rows4 + row];
    let a1 = a[t * rows4 + row1];
    let b0 = b[t * columns4 + column];
    let b1 = b[t * columns4 + column1];
    c00 = fma(vec4f(a0.x), b0, c00);
    c01 = fma(vec4f(a0.x), b1, c01);
    c10 = fma(vec4f(a0.y), b0, c10);
    c11 = fma(vec4f(a0.y), b1, c11);
    c20 = fma(vec4f(a0.z), b0, c20);
    c21 = fma(vec4f(a0.z), b1, c21);
    c30 = fma(vec4f(a0.w), b0, c30);
    c31 = fma(vec4f(a0.w), b1, c31);
    c40 = fma(vec4f(a1.x), b0, c40);
    c41 = fma(vec4f(a1.x), b1, c41);
    c50 = fma(vec4f(a1.y), b0, c50);
    c51 = fma(vec4f(a1.y), b1, c51);
    c60 = fma(vec4f(a1.z), b0, c60);
    c61 = fma(vec4f(a1.z), b1, c61);
    c70 = fma(vec4f(a1.w), b0, c70);
    c71 = fma(vec4f(a1.w), b1, c71);
  }
  let base = id.z * params.rows;
  c[(base + row * 4u + 0u) * columns4 + column] = c00;
  c[(base + row * 4u + 0u) * columns4 + column1] = c01;
  c[(base + row * 4u + 1u) * columns4 + column] = c10;
  c[(base + row * 4u + 1u) * columns4 + column1] = c11;
  c[(base + row * 4u + 2u) * columns4 + column] = c20;
  c[(base + row * 4u + 2u) * columns4 + column1] = c21;
  c[(base + row * 4u + 3u) * columns4 + column] = c30;
  c[(base + row * 4u + 3u) * columns4 + column1] = c31;
  c[(base + row1 * 4u + 0u) * columns4 + column] = c40;
  c[(base + row1 * 4u + 0u) * columns4 + column1] = c41;
  c[(base + row1 * 4u + 1u) * columns4 + column] = c50;
  c[(base + row1 * 4u + 1u) * columns4 + column1] = c51;
  c[(base + row1 * 4u + 2u) * columns4 + column] = c60;
  c[(base + row1 * 4u + 2u) * columns4 + column1] = c61;
  c[(base + row1 * 4u + 3u) * columns4 + column] = c70;
  c[(base + row1 * 4u + 3u) * columns4 + column1] = c71;
}
