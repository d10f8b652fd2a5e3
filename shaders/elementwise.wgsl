// Elementwise operations of pretrained networks on x (rows, COLUMNS).
//   add_bias:  x += b (COLUMNS) in every row
//   bias_gradient: partial (⌈rows/chunk⌉, COLUMNS) = Σ dy over the rows of a chunk, for reduce.wgsl
//   scale:     x *= factor
//   keep_blocks: x = 0 outside columns begin_k .. end_k − 1 of row block k < 2 (`chunk` rows each)

struct Params {
  rows: u32,
  chunk: u32,
  factor: f32,
  begin0: u32,
  end0: u32,
  begin1: u32,
  end1: u32,
}

@group(0) @binding(0) var<storage, read_write> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> b: array<vec4f>;
@group(0) @binding(2) var<storage, read> dy: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> partial_sums: array<vec4f>;
@group(0) @binding(4) var<uniform> params: Params;

const COLUMNS4 = COLUMNS / 4u;

@compute @workgroup_size(64)
fn add_bias(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  if (id / COLUMNS4 >= params.rows) {
    return;
  }
  x[id] += b[id % COLUMNS4];
}

@compute @workgroup_size(64)
fn bias_gradient(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let lane = id % COLUMNS4;
  let begin = id / COLUMNS4 * params.chunk;
  if (begin >= params.rows) {
    return;
  }
  var sum = vec4f();
  for (var row = begin; row < min(begin + params.chunk, params.rows); row++) {
    sum += dy[row * COLUMNS4 + lane];
  }
  partial_sums[id] = sum;
}

@compute @workgroup_size(64)
fn scale(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  if (id / COLUMNS4 >= params.rows) {
    return;
  }
  x[id] *= params.factor;
}

@compute @workgroup_size(64)
fn keep_blocks(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let row = id / COLUMNS4;
  if (row >= params.rows) {
    return;
  }
  let column = 4u * (id % COLUMNS4);
  let second = row >= params.chunk;
  let begin = select(params.begin0, params.begin1, second);
  let end = select(params.end0, params.end1, second);
  if (column < begin || column >= end) {
    x[id] = vec4f();
  }
}
