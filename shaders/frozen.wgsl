// Products with a frozen matrix w (outputs, inputs). Its rows are packed along the inputs:
//   FORMAT 0: float32
//   FORMAT 1: float16, 8 in four words: word i holds elements i (low half) and i + 4 (high half)
//   FORMAT 2: 4 bits, groups of 32 in four words: bits 4k .. 4k+3 of word i hold element 4k + i,
//             plus 8; each group has a float16 scale, two per word of `scales`
//
// forward:  c (rows, outputs) [+]= a (rows, inputs) · wᵀ
// backward: c (rows, inputs)  [+]= a (rows, outputs) · w
// gather:   c (rows, inputs) = w [tokens (rows)]
//
// Each element is summed in ascending order, so a row's bits do not depend on the other rows.
// src/kernels/unroll.ts repeats `#each r < 8` … `#end` for r = 0 .. 7 and substitutes {r}.

struct Params {
  rows: u32,
  inputs: u32,
  outputs: u32,
  // 1 adds to c instead of overwriting it.
  accumulate: u32,
}

@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read> w: array<vec4u>;
@group(0) @binding(2) var<storage, read> scales: array<u32>;
@group(0) @binding(3) var<storage, read_write> c: array<vec4f>;
@group(0) @binding(4) var<storage, read> tokens: array<u32>;
@group(0) @binding(5) var<uniform> params: Params;

// Elements 4·quad .. 4·quad+3 of a row of w.
fn four(row: u32, quad: u32) -> vec4f {
#if HALF
  let words = w[row * (params.inputs / 8u) + quad / 2u];
  let x = unpack2x16float(words.x);
  let y = unpack2x16float(words.y);
  let z = unpack2x16float(words.z);
  let v = unpack2x16float(words.w);
  return select(vec4f(x.x, y.x, z.x, v.x), vec4f(x.y, y.y, z.y, v.y), (quad & 1u) == 1u);
#else
#if INT4
  let group = row * (params.inputs / 32u) + quad / 8u;
  let bits = (w[group] >> vec4u(4u * (quad & 7u))) & vec4u(15u);
  let pair = unpack2x16float(scales[group / 2u]);
  return (vec4f(bits) - 8.0) * select(pair.x, pair.y, (group & 1u) == 1u);
#else
  return bitcast<vec4f>(w[row * (params.inputs / 4u) + quad]);
#end
#end
}

// Each invocation computes 8 rows of 4 columns.
@compute @workgroup_size(8, 8)
fn forward(@builtin(global_invocation_id) id: vec3u) {
  // Reference the binding so that every format has the same layout.
  _ = &scales;
  let columns4 = params.outputs / 4u;
  let inner4 = params.inputs / 4u;
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
    let b{j} = four(column * 4u + {j}u, k);
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
    if (params.accumulate == 1u) {
      c{r} += c[at];
    }
    c[at] = c{r};
  }
  #end
}

@compute @workgroup_size(8, 8)
fn backward(@builtin(global_invocation_id) id: vec3u) {
  // Reference the binding so that every format has the same layout.
  _ = &scales;
  let columns4 = params.inputs / 4u;
  let inner4 = params.outputs / 4u;
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
    #each r < 8
    let a{r} = a[row{r} * inner4 + k];
    #end
    #each i < 4
    let b{i} = four(k * 4u + {i}u, column);
    #each r < 8
    c{r} = fma(vec4f(a{r}[{i}]), b{i}, c{r});
    #end
    #end
  }
  #each r < 8
  if (row + {r}u < params.rows) {
    let at = row{r} * columns4 + column;
    if (params.accumulate == 1u) {
      c{r} += c[at];
    }
    c[at] = c{r};
  }
  #end
}

@compute @workgroup_size(64)
fn gather(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  // Reference the binding so that every format has the same layout.
  _ = &scales;
  let columns4 = params.inputs / 4u;
  let row = id / columns4;
  if (row >= params.rows) {
    return;
  }
  c[id] = four(tokens[row], id % columns4);
}
