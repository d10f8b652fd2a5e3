// Fused kernels of a transformer layer for GPUs, with tiles in workgroup memory. Each dispatch
// replaces two to five separate kernels.
//
// query_key_value: q and kv (rows, ·) = x (rows, inner) · [query | key_value], with rotary
//                  position embedding of queries and keys.
// gate_up:         gate_up (rows, 2 · FFN) = x · weights and h (rows, FFN) = silu(gate) · up.
// gradients:       dx (rows, inner) = dy · Wᵀ and partial sums of dW = xᵀ · dy, for one linear
//                  layer or for two with the same input x.
//
// Each element is summed in ascending order with one fused multiply–add per term, so rows have the
// same bits as in matmul.wgsl for any tile size. src/kernels/unroll.ts expands #each and #if.

struct Params {
  rows: u32,
  inner: u32,
  // gradients: columns of dy and of dy2; 0 without a second layer.
  columns: u32,
  columns2: u32,
  // Offset of the second matrix in `weights` and in `partial_sums`, in vec4f.
  second: u32,
  // gradients: rows per split of the weight gradient, and the stride between the splits' sums in
  // vec4f.
  length: u32,
  stride: u32,
  // gradients: workgroups for dx, and for the gradient of the first matrix. The remaining ones
  // compute the gradient of the second.
  input_groups: u32,
  weight_groups: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> weights: array<vec4f>;
@group(0) @binding(2) var<storage, read> positions: array<u32>;
// With CACHED = 1: the row of kv that each row is written to.
@group(0) @binding(3) var<storage, read> destination: array<u32>;
@group(0) @binding(4) var<storage, read_write> q: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> kv: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> gate_up_out: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> h: array<vec4f>;
@group(0) @binding(8) var<storage, read> dy: array<vec4f>;
@group(0) @binding(9) var<storage, read> dy2: array<vec4f>;
// With SWIGLU = 1: dx is the gradient of gate and up instead of h.
@group(0) @binding(10) var<storage, read> gate_up_in: array<vec4f>;
@group(0) @binding(11) var<storage, read_write> dx: array<vec4f>;
@group(0) @binding(12) var<storage, read_write> partial_sums: array<vec4f>;
@group(0) @binding(13) var<uniform> params: Params;

// A workgroup has 8 × 8 invocations; each computes ROWS rows of 2 or COLUMNS vec4f.
const TILE_ROWS = 8u * ROWS;
// Inner indices per step, in vec4f, and the stride between rows of the tile: odd, so that rows fall
// into different memory banks.
const STEP4 = 4u;
const PITCH = STEP4 + 1u;
const STEPS = 4u * STEP4;

var<workgroup> left: array<vec4f, TILE_ROWS * PITCH>;
var<workgroup> right: array<vec4f, 32u * COLUMNS * PITCH>;
var<workgroup> low_columns: array<vec4f, STEPS * 8u>;
var<workgroup> high_columns: array<vec4f, STEPS * 8u>;

var<private> low: array<vec4f, ROWS>;
var<private> high: array<vec4f, ROWS>;
var<private> sums: array<vec4f, ROWS * COLUMNS>;

const HALF4 = HEAD_DIM / 8u;
const DIM4 = HEAD_DIM / 4u;
const QUERY4 = HEADS * DIM4;
const KV4 = 2u * KV_HEADS * DIM4;
const FFN4 = FFN / 4u;
// Pairs of column vectors: matching parts of a head's two halves, or a gate and its up projection.
const PAIRS = select(FFN4, (HEADS + 2u * KV_HEADS) * HALF4, HEADS > 0u);

// Index of a pair's low vector at row k of the weights, and the offset to its high vector.
fn pair_at(k: u32, pair: u32) -> vec2u {
  if (HEADS == 0u) {
    return vec2u(k * 2u * FFN4 + pair, FFN4);
  }
  let head = pair / max(HALF4, 1u);
  let column = head * DIM4 + pair % max(HALF4, 1u);
  if (head < HEADS) {
    return vec2u(k * QUERY4 + column, HALF4);
  }
  return vec2u(params.second + k * KV4 + column - QUERY4, HALF4);
}

// Computes `low` and `high`, the products of this invocation's rows with its pair of columns.
fn paired_product(group: vec3u, local: u32) {
  let inner4 = params.inner / 4u;
  let first = group.y * TILE_ROWS;
  let column = local % 8u;
  let row = local / 8u;
  #each r < ROWS
  low[{r}] = vec4f();
  high[{r}] = vec4f();
  #end
  for (var base = 0u; base < inner4; base += STEP4) {
    workgroupBarrier();
    for (var i = local; i < TILE_ROWS * STEP4; i += 64u) {
      let taken = min(first + i / STEP4, params.rows - 1u);
      let k = base + i % STEP4;
      left[i / STEP4 * PITCH + i % STEP4] =
        select(vec4f(), x[taken * inner4 + min(k, inner4 - 1u)], k < inner4);
    }
    for (var i = local; i < STEPS * 8u; i += 64u) {
      let k = base * 4u + i / 8u;
      let pair = min(group.x * 8u + i % 8u, PAIRS - 1u);
      let at = pair_at(min(k, params.inner - 1u), pair);
      low_columns[i] = select(vec4f(), weights[at.x], k < params.inner);
      high_columns[i] = select(vec4f(), weights[at.x + at.y], k < params.inner);
    }
    workgroupBarrier();
    for (var k = 0u; k < STEP4; k++) {
      #each i < 4
      let low{i} = low_columns[(k * 4u + {i}u) * 8u + column];
      let high{i} = high_columns[(k * 4u + {i}u) * 8u + column];
      #end
      #each r < ROWS
      let a{r} = left[(row + 8u * {r}u) * PITCH + k];
      #each i < 4
      low[{r}] = fma(vec4f(a{r}[{i}]), low{i}, low[{r}]);
      high[{r}] = fma(vec4f(a{r}[{i}]), high{i}, high[{r}]);
      #end
      #end
    }
  }
}

@compute @workgroup_size(64)
fn query_key_value(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  paired_product(group, local);
  let pair = group.x * 8u + local % 8u;
  if (pair >= PAIRS) {
    return;
  }
  let head = pair / max(HALF4, 1u);
  let within = pair % max(HALF4, 1u);
  #each i < 4
  let frequency{i} = frequency_of(within * 4u + {i}u, HEAD_DIM / 2u);
  #end
  #each r < ROWS
  let row{r} = group.y * TILE_ROWS + local / 8u + 8u * {r}u;
  if (row{r} < params.rows) {
    var first = low[{r}];
    var second = high[{r}];
    if (head < HEADS + KV_HEADS) {
      let position = positions[row{r}];
      #each i < 4
      let turn{i} = direction_of(f32(position) * frequency{i} * 1.0);
      #end
      let c = vec4f(turn0.x, turn1.x, turn2.x, turn3.x);
      let s = vec4f(turn0.y, turn1.y, turn2.y, turn3.y);
      first = low[{r}] * c - high[{r}] * s;
      second = high[{r}] * c + low[{r}] * s;
    }
    if (head < HEADS) {
      let at = row{r} * QUERY4 + head * DIM4 + within;
      q[at] = first;
      q[at + HALF4] = second;
    } else {
      let to = select(row{r}, destination[row{r}], CACHED == 1u);
      let at = to * KV4 + (head - HEADS) * DIM4 + within;
      kv[at] = first;
      kv[at + HALF4] = second;
    }
  }
  #end
}

@compute @workgroup_size(64)
fn gate_up(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  paired_product(group, local);
  let column = group.x * 8u + local % 8u;
  if (column >= FFN4) {
    return;
  }
  #each r < ROWS
  let row{r} = group.y * TILE_ROWS + local / 8u + 8u * {r}u;
  if (row{r} < params.rows) {
    let gate = low[{r}];
    let at = row{r} * 2u * FFN4 + column;
    gate_up_out[at] = gate;
    gate_up_out[at + FFN4] = high[{r}];
    h[row{r} * FFN4 + column] = gate / (1.0 + exp(-gate)) * high[{r}];
  }
  #end
}

fn dy_at(second: bool, at: u32) -> vec4f {
  if (second) {
    return dy2[at];
  }
  return dy[at];
}

// sums += dy · Wᵀ of the first or second layer, for this invocation's rows and columns of dx.
fn add_transposed(second: bool, first_row: u32, first_input: u32, local: u32) {
  let columns4 = select(params.columns, params.columns2, second) / 4u;
  let begin = select(0u, params.second, second);
  for (var base = 0u; base < columns4; base += STEP4) {
    workgroupBarrier();
    for (var i = local; i < TILE_ROWS * STEP4; i += 64u) {
      let taken = min(first_row + i / STEP4, params.rows - 1u);
      let k = base + i % STEP4;
      left[i / STEP4 * PITCH + i % STEP4] =
        select(vec4f(), dy_at(second, taken * columns4 + min(k, columns4 - 1u)), k < columns4);
    }
    for (var i = local; i < 32u * COLUMNS * STEP4; i += 64u) {
      let taken = min(first_input + i / STEP4, params.inner - 1u);
      let k = base + i % STEP4;
      right[i / STEP4 * PITCH + i % STEP4] =
        select(vec4f(), weights[begin + taken * columns4 + min(k, columns4 - 1u)], k < columns4);
    }
    workgroupBarrier();
    for (var k = 0u; k < STEP4; k++) {
      #each r < ROWS
      let a{r} = left[(local / 8u + 8u * {r}u) * PITCH + k];
      #end
      #each c < COLUMNS
      #each j < 4
      let b{c}{j} = right[((local % 8u + 8u * {c}u) * 4u + {j}u) * PITCH + k];
      #end
      #each i < 4
      let across{c}{i} = vec4f(b{c}0[{i}], b{c}1[{i}], b{c}2[{i}], b{c}3[{i}]);
      #each r < ROWS
      sums[{r} * COLUMNS + {c}] = fma(vec4f(a{r}[{i}]), across{c}{i}, sums[{r} * COLUMNS + {c}]);
      #end
      #end
      #end
    }
  }
}

// Tiles that cover this many column vectors.
fn tiles_across(columns4: u32) -> u32 {
  return (columns4 + 8u * COLUMNS - 1u) / (8u * COLUMNS);
}

fn input_gradient(group: u32, local: u32) {
  let inner4 = params.inner / 4u;
  let across = tiles_across(inner4);
  let first_row = group / across * TILE_ROWS;
  let first4 = group % across * 8u * COLUMNS;
  add_transposed(false, first_row, first4 * 4u, local);
  if (params.columns2 > 0u) {
    add_transposed(true, first_row, first4 * 4u, local);
  }
  #each r < ROWS
  let row{r} = first_row + local / 8u + 8u * {r}u;
  #each c < COLUMNS
  let column{r}{c} = first4 + local % 8u + 8u * {c}u;
  if (row{r} < params.rows && column{r}{c} < inner4) {
    let d = sums[{r} * COLUMNS + {c}];
    if (SWIGLU == 1u) {
      let at = row{r} * 2u * inner4 + column{r}{c};
      let gate = gate_up_in[at];
      let sigmoid = 1.0 / (1.0 + exp(-gate));
      dx[at] = d * gate_up_in[at + inner4] * sigmoid * (1.0 + gate * (1.0 - sigmoid));
      dx[at + inner4] = d * gate * sigmoid;
    } else {
      let at = row{r} * inner4 + column{r}{c};
      dx[at] = d;
    }
  }
  #end
  #end
}

// One split's partial sum of xᵀ · dy for a tile of the first or second matrix.
fn weight_gradient(second: bool, group: u32, local: u32) {
  let inner4 = params.inner / 4u;
  let columns4 = select(params.columns, params.columns2, second) / 4u;
  let across = tiles_across(columns4);
  let down = (params.inner + TILE_ROWS - 1u) / TILE_ROWS;
  let split = group / (across * down);
  // The last row of a folded grid has more workgroups than splits.
  if (split >= params.weight_groups / (tiles_across(params.columns / 4u) * down)) {
    return;
  }
  let tile = group % (across * down);
  let first_input4 = tile / across * (TILE_ROWS / 4u);
  let first4 = tile % across * 8u * COLUMNS;
  let begin = split * params.length;
  let end = min(begin + params.length, params.rows);
  for (var base = begin; base < end; base += STEPS) {
    workgroupBarrier();
    for (var i = local; i < STEPS * TILE_ROWS / 4u; i += 64u) {
      let t = base + i / (TILE_ROWS / 4u);
      let taken = min(first_input4 + i % (TILE_ROWS / 4u), inner4 - 1u);
      left[i] = select(vec4f(), x[min(t, end - 1u) * inner4 + taken], t < end);
    }
    for (var i = local; i < STEPS * 8u * COLUMNS; i += 64u) {
      let t = base + i / (8u * COLUMNS);
      let taken = min(first4 + i % (8u * COLUMNS), columns4 - 1u);
      right[i] = select(vec4f(), dy_at(second, min(t, end - 1u) * columns4 + taken), t < end);
    }
    workgroupBarrier();
    for (var t = 0u; t < STEPS; t++) {
      #each c < COLUMNS
      let b{c} = right[t * 8u * COLUMNS + local % 8u + 8u * {c}u];
      #end
      #each v < ROWS4
      let a{v} = left[t * (TILE_ROWS / 4u) + local / 8u + 8u * {v}u];
      #each i < 4
      #each c < COLUMNS
      sums[({v} * 4 + {i}) * COLUMNS + {c}] =
        fma(vec4f(a{v}[{i}]), b{c}, sums[({v} * 4 + {i}) * COLUMNS + {c}]);
      #end
      #end
      #end
    }
  }
  let out = split * params.stride + select(0u, params.second, second);
  #each v < ROWS4
  let input{v} = first_input4 + local / 8u + 8u * {v}u;
  #each c < COLUMNS
  let column{v}{c} = first4 + local % 8u + 8u * {c}u;
  if (input{v} < inner4 && column{v}{c} < columns4) {
    #each i < 4
    partial_sums[out + (input{v} * 4u + {i}u) * columns4 + column{v}{c}] =
      sums[({v} * 4 + {i}) * COLUMNS + {c}];
    #end
  }
  #end
  #end
}

@compute @workgroup_size(64)
fn gradients(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  for (var i = 0u; i < ROWS * COLUMNS; i++) {
    sums[i] = vec4f();
  }
  let index = group_index(group);
  if (index < params.input_groups) {
    input_gradient(index, local);
  } else if (index < params.input_groups + params.weight_groups) {
    weight_gradient(false, index - params.input_groups, local);
  } else if (params.columns2 > 0u) {
    weight_gradient(true, index - params.input_groups - params.weight_groups, local);
  }
}
