// RMSNorm (arXiv:1910.07467) over rows of x (rows, WIDTH): y = x · rstd · gain with
// rstd = 1 / √(mean(x²) + ε).

struct Params {
  rows: u32,
  // backward_gain: rows per partial sum. backward_parts: stride between partial sums in vec4f.
  chunk: u32,
  // backward: 1 adds to dx instead of overwriting it.
  accumulate: u32,
  // forward: ε.
  epsilon: f32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> gain: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4f>;
// rstd (rows), saved for the backward pass.
@group(0) @binding(3) var<storage, read_write> rstd_out: array<f32>;
@group(0) @binding(4) var<storage, read> rstd: array<f32>;
@group(0) @binding(5) var<storage, read> dy: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> dx: array<vec4f>;
// dgain_partial (⌈rows/chunk⌉, WIDTH); reduce.wgsl sums the parts.
@group(0) @binding(7) var<storage, read_write> dgain_partial: array<vec4f>;
@group(0) @binding(8) var<uniform> params: Params;

const WIDTH4 = WIDTH / 4u;

@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3u) {
  let row = global_index(id);
  if (row >= params.rows) {
    return;
  }
  let base = row * WIDTH4;
  var squares = 0.0;
  for (var i = 0u; i < WIDTH4; i++) {
    let v = x[base + i];
    squares += dot(v, v);
  }
  let scale = inverseSqrt(squares / f32(WIDTH) + params.epsilon);
  rstd_out[row] = scale;
  for (var i = 0u; i < WIDTH4; i++) {
    y[base + i] = x[base + i] * scale * gain[i];
  }
}

// With x̂ = x·rstd and dx̂ = dy·gain: dx (+)= rstd · (dx̂ − x̂ · mean(dx̂·x̂)).
@compute @workgroup_size(64)
fn backward(@builtin(global_invocation_id) id: vec3u) {
  let row = global_index(id);
  if (row >= params.rows) {
    return;
  }
  let base = row * WIDTH4;
  let scale = rstd[row];
  var along = 0.0;
  for (var i = 0u; i < WIDTH4; i++) {
    along += dot(dy[base + i] * gain[i], x[base + i]);
  }
  along *= scale / f32(WIDTH);
  for (var i = 0u; i < WIDTH4; i++) {
    var value = scale * (dy[base + i] * gain[i] - x[base + i] * scale * along);
    if (params.accumulate == 1u) {
      value += dx[base + i];
    }
    dx[base + i] = value;
  }
}

// backward and backward_gain fused, for GPUs. A workgroup processes PART_ROWS rows with LANES
// invocations each.
const PART_ROWS = 32u;
const LANES = 4u;
const PART_THREADS = 128u;

var<workgroup> alongs: array<f32, PART_THREADS>;

@compute @workgroup_size(PART_THREADS)
fn backward_parts(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  let index = group_index(group);
  let first = index * PART_ROWS;
  let row = first + local / LANES;
  let lane = local % LANES;
  let base = row * WIDTH4;
  var sum = 0.0;
  if (row < params.rows) {
    for (var i = lane; i < WIDTH4; i += LANES) {
      sum += dot(dy[base + i] * gain[i], x[base + i]);
    }
  }
  alongs[local] = sum;
  workgroupBarrier();
  if (row < params.rows) {
    let scale = rstd[row];
    let at = local - lane;
    let total = (alongs[at] + alongs[at + 1u]) + (alongs[at + 2u] + alongs[at + 3u]);
    let along = total * scale / f32(WIDTH);
    for (var i = lane; i < WIDTH4; i += LANES) {
      var value = scale * (dy[base + i] * gain[i] - x[base + i] * scale * along);
      if (params.accumulate == 1u) {
        value += dx[base + i];
      }
      dx[base + i] = value;
    }
  }
  // Parts without rows are zero. The end of a folded grid has more parts than the tensor.
  let part_at = index * params.chunk;
  if (part_at + WIDTH4 > arrayLength(&dgain_partial)) {
    return;
  }
  let end = min(first + PART_ROWS, params.rows);
  for (var i = local; i < WIDTH4; i += PART_THREADS) {
    var part = vec4f();
    for (var r = first; r < end; r++) {
      part += dy[r * WIDTH4 + i] * x[r * WIDTH4 + i] * rstd[r];
    }
    dgain_partial[part_at + i] = part;
  }
}

@compute @workgroup_size(64)
fn backward_gain(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let part = id / WIDTH4;
  let lane = id % WIDTH4;
  let begin = part * params.chunk;
  if (begin >= params.rows) {
    return;
  }
  var sum = vec4f();
  for (var row = begin; row < min(begin + params.chunk, params.rows); row++) {
    sum += dy[row * WIDTH4 + lane] * x[row * WIDTH4 + lane] * rstd[row];
  }
  dgain_partial[id] = sum;
}
