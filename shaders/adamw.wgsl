// AdamW (arXiv:1711.05101) over one flat parameter buffer, with global-norm clipping (Pascanu et
// al., 2013). The update is skipped if the gradient norm is not finite.
//
// The indices STATE_… into `state` follow `optimizerColumns` (src/kernels/tables.ts).

struct Params {
  length: u32,
  // Index of the first parameter without weight decay (norm gains).
  decay_end: u32,
  // norm_partial: elements per partial sum. norm: number of partial sums.
  chunk: u32,
  learning_rate: f32,
  beta1: f32,
  beta2: f32,
  epsilon: f32,
  weight_decay: f32,
  max_grad_norm: f32,
}

@group(0) @binding(0) var<storage, read> grads: array<f32>;
@group(0) @binding(1) var<storage, read_write> partial: array<f32>;
@group(0) @binding(2) var<storage, read_write> state: array<f32>;
@group(0) @binding(3) var<storage, read_write> parameters: array<f32>;
@group(0) @binding(4) var<storage, read_write> m: array<f32>;
@group(0) @binding(5) var<storage, read_write> v: array<f32>;
@group(0) @binding(6) var<uniform> params: Params;

const THREADS = 64u;

var<workgroup> sums: array<f32, THREADS>;

// Tree reduction of `mine` over a workgroup in a fixed order. Only invocation 0 gets the total.
fn sum_of_all(local: u32, mine: f32) -> f32 {
  sums[local] = mine;
  for (var half = THREADS / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (local < half) {
      sums[local] += sums[local + half];
    }
  }
  return sums[local];
}

// partial[g] = Σ grads² over chunk g. One workgroup per chunk; adjacent invocations read adjacent
// elements.
@compute @workgroup_size(THREADS)
fn norm_partial(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  let index = group_index(group);
  let begin = index * params.chunk;
  let end = min(begin + params.chunk, params.length);
  var sum = 0.0;
  for (var i = begin + local; i < end; i += THREADS) {
    sum += grads[i] * grads[i];
  }
  sum = sum_of_all(local, sum);
  if (local == 0u && begin < params.length) {
    partial[index] = sum;
  }
}

@compute @workgroup_size(THREADS)
fn norm(@builtin(local_invocation_index) local: u32) {
  var sum = 0.0;
  for (var i = local; i < params.chunk; i += THREADS) {
    sum += partial[i];
  }
  sum = sum_of_all(local, sum);
  if (local > 0u) {
    return;
  }
  let norm = sqrt(sum);
  // Compilers may assume that floats are finite, so test the bits: NaN and infinity have an
  // exponent of all ones.
  let finite = (bitcast<u32>(norm) & 0x7f800000u) != 0x7f800000u;
  state[STATE_GRAD_NORM] = norm;
  state[STATE_GRAD_SCALE] = 1.0;
  if (norm > params.max_grad_norm) {
    state[STATE_GRAD_SCALE] = params.max_grad_norm / norm;
  }
  state[STATE_APPLIED] = select(0.0, 1.0, finite);
  if (finite) {
    state[STATE_STEPS] += 1.0;
    // 1 − β^t by the same recurrence as m and v (with a gradient of ones): 1 − pow(β, t) loses
    // precision if β is close to 1.
    state[STATE_WEIGHT1] = params.beta1 * state[STATE_WEIGHT1] + (1.0 - params.beta1);
    state[STATE_WEIGHT2] = params.beta2 * state[STATE_WEIGHT2] + (1.0 - params.beta2);
    state[STATE_CORRECTION1] = 1.0 / state[STATE_WEIGHT1];
    state[STATE_CORRECTION2] = 1.0 / state[STATE_WEIGHT2];
  }
}

// Each invocation updates four elements, 64 apart, so it loads the state once for all four.
@compute @workgroup_size(64)
fn update(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  if (state[STATE_APPLIED] == 0.0) {
    return;
  }
  let scale = state[STATE_GRAD_SCALE];
  let correction1 = state[STATE_CORRECTION1];
  let correction2 = state[STATE_CORRECTION2];
  let begin = group_index(group) * 256u + local;
  for (var i = begin; i < min(begin + 256u, params.length); i += 64u) {
    let g = grads[i] * scale;
    let m_new = params.beta1 * m[i] + (1.0 - params.beta1) * g;
    let v_new = params.beta2 * v[i] + (1.0 - params.beta2) * g * g;
    m[i] = m_new;
    v[i] = v_new;
    let present = parameters[i];
    let decay = select(0.0, params.weight_decay * present, i < params.decay_end);
    let step = m_new * correction1 / (sqrt(v_new * correction2) + params.epsilon) + decay;
    parameters[i] = present - params.learning_rate * step;
  }
}
