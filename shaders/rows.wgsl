// Moves rows of WIDTH elements by index.
//   gather:      y (count, WIDTH) = x [index (count)]
//   scatter:     y [index (count)] = x (count, WIDTH); the indices must be distinct
//   scatter_add: y [index (count)] += x (count, WIDTH); the indices must be distinct

struct Params {
  count: u32,
}

@group(0) @binding(0) var<storage, read> index: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4f>;
@group(0) @binding(3) var<uniform> params: Params;

const WIDTH4 = WIDTH / 4u;

@compute @workgroup_size(64)
fn gather(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let row = id / WIDTH4;
  if (row >= params.count) {
    return;
  }
  y[id] = x[index[row] * WIDTH4 + id % WIDTH4];
}

@compute @workgroup_size(64)
fn scatter(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let row = id / WIDTH4;
  if (row >= params.count) {
    return;
  }
  y[index[row] * WIDTH4 + id % WIDTH4] = x[id];
}

@compute @workgroup_size(64)
fn scatter_add(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let row = id / WIDTH4;
  if (row >= params.count) {
    return;
  }
  y[index[row] * WIDTH4 + id % WIDTH4] += x[id];
}
