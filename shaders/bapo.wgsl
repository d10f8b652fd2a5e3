// BAPO's search for clipping bounds (arXiv:2510.18927, Algorithm 1) over all loss rows of an
// update: the bounds widen step by step until ρ, the contribution of tokens with positive
// advantage, reaches target_rho.
//
// A single workgroup, so that every evaluation sums in the same fixed order.

// Kept small: barriers dominate the time on a software driver.
const THREADS = 64u;

struct Params {
  update_rows: u32,
  reading: u32,
  // 1 moves the upper bound to its limit before the lower one; 0 the reverse.
  high_first: u32,
  target_rho: f32,
  low_min: f32,
  high_min: f32,
  low_step: f32,
  high_step: f32,
  // Maximum number of steps of each bound.
  low_steps: u32,
  high_steps: u32,
}

// (rows, INPUT_COUNT): the columns INPUT_… of src/kernels/tables.ts.
@group(0) @binding(0) var<storage, read> inputs: array<f32>;
// (rows, SCORE_COUNT): the columns SCORE_….
@group(0) @binding(1) var<storage, read> scores: array<f32>;
// Low and high bound, ρ at these bounds (0 if no token contributes), number of steps.
@group(0) @binding(2) var<storage, read_write> bounds: array<f32>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> sums: array<vec2f, THREADS>;
// Steps of the lower and of the upper bound, and 1 while the search continues.
var<workgroup> search_state: vec3u;

// One invocation's share of the contributions of positive (x) and negative (y) tokens.
fn partial(thread: u32, low: f32, high: f32) -> vec2f {
  var sum = vec2f();
  var rest = vec2f();
  // Kahan summation: the last digits can decide the number of steps.
  for (var i = thread; i < params.update_rows; i += THREADS) {
    let advantage = inputs[INPUT_COUNT * i + INPUT_ADVANTAGE];
    let ratio = exp(scores[SCORE_COUNT * i + SCORE_LOGP] - inputs[INPUT_COUNT * i + INPUT_PROXIMAL_LOGP]);
    var value = abs(min(ratio * advantage, min(max(ratio, low), high) * advantage));
    if (params.reading != READING_PN_RATIO) {
      value *= exp(inputs[INPUT_COUNT * i + INPUT_BEHAVIOR_LOGP]);
    }
    if (params.reading == READING_ACTIVE_GRADIENT_SHARE
      && ((advantage > 0.0 && ratio > high) || (advantage < 0.0 && ratio < low))) {
      value = 0.0;
    }
    let both = vec2f(
      select(0.0, value, advantage > 0.0),
      select(0.0, value, advantage < 0.0),
    ) - rest;
    let next = sum + both;
    rest = (next - sum) - both;
    sum = next;
  }
  return sum;
}

@compute @workgroup_size(THREADS)
fn search(@builtin(local_invocation_id) local: vec3u) {
  let thread = local.x;
  if (thread == 0u) {
    search_state = vec3u(0u, 0u, 1u);
  }
  workgroupBarrier();
  loop {
    let state = workgroupUniformLoad(&search_state);
    if (state.z == 0u) {
      break;
    }
    let low = params.low_min + f32(state.x) * params.low_step;
    let high = params.high_min + f32(state.y) * params.high_step;
    sums[thread] = partial(thread, low, high);
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
      workgroupBarrier();
      if (thread < half) {
        sums[thread] += sums[thread + half];
      }
    }
    if (thread == 0u) {
      let positive = sums[0].x;
      let negative = sums[0].y;
      var rho = 0.0;
      // If no token contributes, keep the bounds.
      var enough = positive + negative == 0.0;
      if (!enough) {
        if (params.reading == READING_PN_RATIO) {
          rho = 3.0e38;
          if (negative > 0.0) {
            rho = positive / negative;
          }
        } else {
          rho = positive / (positive + negative);
        }
        enough = !(rho < params.target_rho);
      }
      bounds[BOUND_LOW] = low;
      bounds[BOUND_HIGH] = high;
      bounds[BOUND_RHO] = rho;
      bounds[BOUND_STEPS] = f32(state.x + state.y);
      let low_moves = state.x < params.low_steps;
      let high_moves = state.y < params.high_steps;
      let move_high = high_moves && (params.high_first == 1u || !low_moves);
      if (enough || (!low_moves && !high_moves)) {
        search_state.z = 0u;
      } else if (move_high) {
        search_state.y += 1u;
      } else {
        search_state.x += 1u;
      }
    }
    workgroupBarrier();
  }
}
