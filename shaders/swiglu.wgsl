// SwiGLU and GEGLU (arXiv:2002.05202): h (rows, FFN) = a(gate) · up, with gate_up (rows, 2 · FFN) =
// [gate | up] and a(g) = g · σ(k(g)). SiLU has k(g) = g. With GELU = 1, the tanh approximation of
// GELU (arXiv:1606.08415) has k(g) = √(8/π) · (g + 0.044715 g³), because ½(1 + tanh u) = σ(2u).

struct Params {
  rows: u32,
}

@group(0) @binding(0) var<storage, read> gate_up: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> h: array<vec4f>;
@group(0) @binding(2) var<storage, read> dh: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> dgate_up: array<vec4f>;
@group(0) @binding(4) var<uniform> params: Params;

const FFN4 = FFN / 4u;
const ROOT = 1.5957691216;
const CUBE = 0.044715;

fn k(g: vec4f) -> vec4f {
  if (GELU == 1u) {
    return ROOT * g * (1.0 + CUBE * g * g);
  }
  return g;
}

// k'(g)
fn slope(g: vec4f) -> vec4f {
  if (GELU == 1u) {
    return ROOT * (1.0 + 3.0 * CUBE * g * g);
  }
  return vec4f(1.0);
}

@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let row = id / FFN4;
  if (row >= params.rows) {
    return;
  }
  let at = row * 2u * FFN4 + id % FFN4;
  let gate = gate_up[at];
  h[id] = gate / (1.0 + exp(-k(gate))) * gate_up[at + FFN4];
}

// a'(g) = σ(k) · (1 + g · k'(g) · (1 − σ(k))).
@compute @workgroup_size(64)
fn backward(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let row = id / FFN4;
  if (row >= params.rows) {
    return;
  }
  let at = row * 2u * FFN4 + id % FFN4;
  let gate = gate_up[at];
  let sigmoid = 1.0 / (1.0 + exp(-k(gate)));
  let d = dh[id];
  dgate_up[at] = d * gate_up[at + FFN4] * sigmoid * (1.0 + gate * slope(gate) * (1.0 - sigmoid));
  dgate_up[at + FFN4] = d * gate * sigmoid;
}
