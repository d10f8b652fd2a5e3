// Token embedding. x (rows, WIDTH) = table (vocabulary, WIDTH)[tokens (rows)].

struct Params {
  // forward: rows. backward: pieces.
  count: u32,
}

@group(0) @binding(0) var<storage, read> tokens: array<u32>;
@group(0) @binding(1) var<storage, read> table: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> x: array<vec4f>;

// Backward: the host sorts rows by token, so that each table row's gradient is a sum in a fixed
// order, without atomics and therefore deterministic. `pieces` (count, 3) holds a token and its
// range [begin, end) in `sorted_rows` (rows); pieces of one token are consecutive.
@group(0) @binding(3) var<storage, read> sorted_rows: array<u32>;
@group(0) @binding(4) var<storage, read> pieces: array<u32>;
@group(0) @binding(5) var<storage, read> dx: array<vec4f>;
// partial (count, WIDTH): one sum per piece.
@group(0) @binding(6) var<storage, read_write> partial_sums: array<vec4f>;
@group(0) @binding(7) var<storage, read> partial: array<vec4f>;
// dtable (vocabulary, WIDTH), accumulated.
@group(0) @binding(8) var<storage, read_write> dtable: array<vec4f>;
@group(0) @binding(9) var<uniform> params: Params;

const WIDTH4 = WIDTH / 4u;

@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let row = id / WIDTH4;
  if (row >= params.count) {
    return;
  }
  x[id] = table[tokens[row] * WIDTH4 + id % WIDTH4];
}

@compute @workgroup_size(64)
fn backward_pieces(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let piece = id / WIDTH4;
  if (piece >= params.count) {
    return;
  }
  var sum = vec4f();
  for (var i = pieces[piece * 3u + 1u]; i < pieces[piece * 3u + 2u]; i++) {
    sum += dx[sorted_rows[i] * WIDTH4 + id % WIDTH4];
  }
  partial_sums[id] = sum;
}

// The invocations of a token's first piece sum all of its pieces.
@compute @workgroup_size(64)
fn backward_table(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let piece = id / WIDTH4;
  let lane = id % WIDTH4;
  if (piece >= params.count) {
    return;
  }
  let token = pieces[piece * 3u];
  if (piece > 0u && pieces[(piece - 1u) * 3u] == token) {
    return;
  }
  var sum = vec4f();
  for (var p = piece; p < params.count; p++) {
    if (pieces[p * 3u] != token) {
      break;
    }
    sum += partial[p * WIDTH4 + lane];
  }
  dtable[token * WIDTH4 + lane] += sum;
}
