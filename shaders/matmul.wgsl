// Matrix products with register tiles and without workgroup memory, for any number of rows.
//
// nn: C (rows, columns)  = A (rows, inner) · B (inner, columns) [+ residual (rows, columns)]
// nt: C (rows, columns) (+)= A (rows, inner) · B (columns, inner)ᵀ
// tn: partial (splits, rows, columns): split s holds Σ A (t, rows)ᵀ · B (t, columns) over its share
//     of t = 0 .. inner-1; reduce.wgsl sums the splits.
//
// `inner` and `columns` are multiples of 4 (for tn: `rows` and `columns`). Each element is summed
// over `inner` in ascending order with one fused multiply–add per term, so a row's bits do not
// depend on the other rows.
//
// src/kernels/unroll.ts repeats `#each r < 8` … `#end` for r = 0 .. 7 and substitutes {r}.

struct Params {
  rows: u32,
  inner: u32,
  columns: u32,
  // nn: 1 adds the residual. nt: 1 adds to C instead of overwriting it. tn: length of a split.
  mode: u32,
}

@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read> b: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4f>;
@group(0) @binding(3) var<storage, read> residual: array<vec4f>;
@group(0) @binding(4) var<uniform> params: Params;

// Each invocation computes 8 rows of 8 columns: c0left … c7right.
@compute @workgroup_size(4, 16)
fn nn(@builtin(global_invocation_id) id: vec3u) {
  let columns4 = params.columns / 4u;
  let inner4 = params.inner / 4u;
  let left = id.x * 2u;
  let right = min(left + 1u, columns4 - 1u);
  let row = id.y * 8u;
  if (left >= columns4 || row >= params.rows) {
    return;
  }
  #each r < 8
  let row{r} = min(row + {r}u, params.rows - 1u);
  var c{r}left = vec4f();
  var c{r}right = vec4f();
  #end
  for (var k = 0u; k < inner4; k++) {
    #each r < 8
    let a{r} = a[row{r} * inner4 + k];
    #end
    #each i < 4
    let b{i}left = b[(k * 4u + {i}u) * columns4 + left];
    let b{i}right = b[(k * 4u + {i}u) * columns4 + right];
    #each r < 8
    c{r}left = fma(vec4f(a{r}[{i}]), b{i}left, c{r}left);
    c{r}right = fma(vec4f(a{r}[{i}]), b{i}right, c{r}right);
    #end
    #end
  }
  #each r < 8
  if (row + {r}u < params.rows) {
    let at = row{r} * columns4;
    if (params.mode == 1u) {
      c{r}left += residual[at + left];
      c{r}right += residual[at + right];
    }
    c[at + left] = c{r}left;
    c[at + right] = c{r}right;
  }
  #end
}

// Each invocation computes 8 rows of 4 columns.
@compute @workgroup_size(8, 8)
fn nt(@builtin(global_invocation_id) id: vec3u) {
  let columns4 = params.columns / 4u;
  let inner4 = params.inner / 4u;
  let column = id.x;
  let row = id.y * 8u;
  if (column >= columns4 || row >= params.rows) {
    return;
  }
  #each r < 8
  let row{r} = min(row + {r}u, params.rows - 1u);
  var c{r} = vec4f();
  #end
  for (var k = 0u; k < inner4; k++) {
    #each j < 4
    let b{j} = b[(column * 4u + {j}u) * inner4 + k];
    #end
    #each r < 8
    let a{r} = a[row{r} * inner4 + k];
    #end
    #each i < 4
    let across{i} = vec4f(b0[{i}], b1[{i}], b2[{i}], b3[{i}]);
    #each r < 8
    c{r} = fma(vec4f(a{r}[{i}]), across{i}, c{r});
    #end
    #end
  }
  #each r < 8
  if (row + {r}u < params.rows) {
    let at = row{r} * columns4 + column;
    if (params.mode == 1u) {
      c{r} += c[at];
    }
    c[at] = c{r};
  }
  #end
}

// Each invocation computes 8 rows of 8 columns of one split.
@compute @workgroup_size(4, 4)
fn tn(@builtin(global_invocation_id) id: vec3u) {
  let columns4 = params.columns / 4u;
  let rows4 = params.rows / 4u;
  let left = id.x * 2u;
  let right = min(left + 1u, columns4 - 1u);
  let row0 = id.y * 2u;
  let row1 = min(row0 + 1u, rows4 - 1u);
  if (left >= columns4 || row0 >= rows4) {
    return;
  }
  #each r < 2
  #each i < 4
  var c{r}{i}left = vec4f();
  var c{r}{i}right = vec4f();
  #end
  #end
  let begin = id.z * params.mode;
  let end = min(begin + params.mode, params.inner);
  for (var t = begin; t < end; t++) {
    let bleft = b[t * columns4 + left];
    let bright = b[t * columns4 + right];
    #each r < 2
    let a{r} = a[t * rows4 + row{r}];
    #each i < 4
    c{r}{i}left = fma(vec4f(a{r}[{i}]), bleft, c{r}{i}left);
    c{r}{i}right = fma(vec4f(a{r}[{i}]), bright, c{r}{i}right);
    #end
    #end
  }
  let base = id.z * params.rows;
  #each r < 2
  #each i < 4
  c[(base + row{r} * 4u + {i}u) * columns4 + left] = c{r}{i}left;
  c[(base + row{r} * 4u + {i}u) * columns4 + right] = c{r}{i}right;
  #end
  #end
}
