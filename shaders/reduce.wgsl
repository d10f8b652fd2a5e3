// y_i (length) (+)= Σ_p partial (parts, stride)[p, i]: sums partial sums in ascending order.

struct Params {
  length: u32,
  parts: u32,
  stride: u32,
  // 1 adds to y instead of overwriting it.
  accumulate: u32,
}

@group(0) @binding(0) var<storage, read> partial: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(64)
fn sum_parts(@builtin(global_invocation_id) id: vec3u) {
  let i = global_index(id);
  if (i >= params.length) {
    return;
  }
  var sum = 0.0;
  for (var p = 0u; p < params.parts; p++) {
    sum += partial[p * params.stride + i];
  }
  if (params.accumulate == 1u) {
    sum += y[i];
  }
  y[i] = sum;
}
