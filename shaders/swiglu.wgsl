// SwiGLU (arXiv:2002.05202): h (rows, FFN) = silu(gate) · up, with gate_up (rows, 2 · FFN) = gate, then up.

struct Params {
  rows: u32,
}

@group(0) @binding(0) var<storage, read> gate_up: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> h: array<vec4f>;
@group(0) @binding(2) var<storage, read> dh: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> dgate_up: array<vec4f>;
@group(0) @binding(4) var<uniform> params: Params;

const FFN4 = FFN / 4u;

@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x / FFN4;
  if (row >= params.rows) {
    return;
  }
  let at = row * 2u * FFN4 + id.x % FFN4;
  let gate = gate_up[at];
  h[id.x] = gate / (1.0 + exp(-gate)) * gate_up[at + FFN4];
}

// silu'(g) = σ(g) · (1 + g · (1 − σ(g))).
@compute @workgroup_size(64)
fn backward(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x / FFN4;
  if (row >= params.rows) {
    return;
  }
  let at = row * 2u * FFN4 + id.x % FFN4;
  let gate = gate_up[at];
  let sigmoid = 1.0 / (1.0 + exp(-gate));
  let d = dh[id.x];
  dgate_up[at] = d * gate_up[at + FFN4] * sigmoid * (1.0 + gate * (1.0 - sigmoid));
  dgate_up[at + FFN4] = d * gate * sigmoid;
}
