// Computes each loss row's loss, statistics and pulls (derivatives of the loss) from its
// log-probability, entropy and value. See src/algorithms/objective.ts for the formulas and papers.

// The host defines SURROGATE_…, KL_…, CAUSE_… and the column indices from
// src/algorithms/surrogates.ts and src/kernels/tables.ts. Surrogates not listed in the switch below
// clip like PPO.

// The value of a disabled bound. A ratio that overflows exceeds it, so dual clip also tests the
// bound itself.
const OFF = 3.0e38;

struct Params {
  // The micro-batch has the loss rows first .. first+loss_rows-1 of the update.
  first: u32,
  loss_rows: u32,
  surrogate: u32,
  kl_estimator: u32,
  // Bounds of the ratio; BAPO uses those of its search instead.
  clip_low: f32,
  clip_high: f32,
  dual_clip: f32,
  importance_cap: f32,
  entropy_coef: f32,
  kl_coef: f32,
  value_coef: f32,
  value_clip: f32,
  // KL-Cov's penalty on |log ratio|.
  penalty_coef: f32,
  // If not 0, only advantages of this sign contribute gradients, and no entropy, KL or value term.
  sign: f32,
}

// (rows, INPUT_COUNT): the columns INPUT_… of src/kernels/tables.ts.
@group(0) @binding(0) var<storage, read> inputs: array<f32>;
// (rows, SCORE_COUNT): the columns SCORE_….
@group(0) @binding(1) var<storage, read> scores: array<f32>;
// (rows of the update): GSPO: (mean log ratio, 0). Clip-Cov and KL-Cov: (1 if picked, else 0; 0).
//                       DPO: (±β·σ(−margin), the row's share of the pair's loss).
@group(0) @binding(2) var<storage, read> found: array<vec2f>;
// Low and high bound of BAPO.
@group(0) @binding(3) var<storage, read> bounds: array<f32>;
// (loss rows, STAT_COUNT): the columns STAT_….
@group(0) @binding(4) var<storage, read_write> stats: array<f32>;
// (loss rows): ∂loss/∂logp, −∂loss/∂H, ∂loss/∂value, 0.
@group(0) @binding(5) var<storage, read_write> pulls: array<vec4f>;
@group(0) @binding(6) var<uniform> params: Params;

// Compilers may assume that floats are finite, so test the bits: NaN and infinity have an exponent
// of all ones.
fn finite(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

fn number(x: bool) -> f32 {
  return select(0.0, 1.0, x);
}

@compute @workgroup_size(64)
fn surrogate(@builtin(global_invocation_id) id: vec3u) {
  let i = global_index(id);
  if (i >= params.loss_rows) {
    return;
  }
  let u = params.first + i;
  let behavior = inputs[INPUT_COUNT * u + INPUT_BEHAVIOR_LOGP];
  let proximal = inputs[INPUT_COUNT * u + INPUT_PROXIMAL_LOGP];
  let reference = inputs[INPUT_COUNT * u + INPUT_REFERENCE_LOGP];
  let advantage = inputs[INPUT_COUNT * u + INPUT_ADVANTAGE];
  let weight = inputs[INPUT_COUNT * u + INPUT_WEIGHT];
  let old_value = inputs[INPUT_COUNT * u + INPUT_OLD_VALUE];
  let value_target = inputs[INPUT_COUNT * u + INPUT_RETURN];
  let logp = scores[SCORE_COUNT * u + SCORE_LOGP];
  let entropy = scores[SCORE_COUNT * u + SCORE_ENTROPY];
  let value = scores[SCORE_COUNT * u + SCORE_VALUE];

  var low = params.clip_low;
  var high = params.clip_high;
  if (params.surrogate == SURROGATE_BAPO) {
    low = bounds[BOUND_LOW];
    high = bounds[BOUND_HIGH];
  }
  let logratio = logp - proximal;
  var ratio = exp(logratio);
  if (params.surrogate == SURROGATE_GSPO) {
    ratio = exp(found[u].x);
  }
  let clipped_ratio = min(max(ratio, low), high);
  let importance = min(exp(proximal - behavior), params.importance_cap);
  let behavior_logratio = logp - behavior;
  let behavior_ratio = exp(behavior_logratio);
  let approx_kl = (behavior_ratio - 1.0) - behavior_logratio;

  // The surrogate's loss before its weight, and its derivative with respect to logp.
  var pg_loss = 0.0;
  var pg_pull = 0.0;
  // The derivative of KL-Cov's penalty.
  var penalty_pull = 0.0;
  var clipped_low = false;
  var clipped_high = false;
  var clipped_dual = false;
  switch (params.surrogate) {
    case SURROGATE_CISPO: {
      pg_pull = -importance * clipped_ratio * advantage;
      pg_loss = pg_pull * logp;
    }
    case SURROGATE_KL_COV: {
      pg_pull = -importance * advantage * ratio;
      pg_loss = pg_pull;
      if (found[u].x == 1.0) {
        pg_loss += params.penalty_coef * abs(logratio);
        penalty_pull = params.penalty_coef * sign(logratio);
      }
    }
    case SURROGATE_LIKELIHOOD: {
      pg_pull = -advantage;
      pg_loss = -advantage * logp;
    }
    case SURROGATE_DPO: {
      pg_pull = -found[u].x;
      pg_loss = found[u].y;
    }
    default: {
      // The gradient is zero exactly if the clipped branch is the larger (dual clip: smaller) loss.
      clipped_low = advantage < 0.0 && ratio < low;
      clipped_high = advantage > 0.0 && ratio > high;
      clipped_dual = params.dual_clip < OFF && advantage < 0.0 && ratio > params.dual_clip
        && !clipped_low;
      pg_loss = importance * max(-advantage * ratio, -advantage * clipped_ratio);
      if (clipped_dual) {
        pg_loss = -importance * advantage * params.dual_clip;
      }
      if (!clipped_low && !clipped_high && !clipped_dual) {
        pg_pull = -importance * advantage * ratio;
      }
      if (params.surrogate == SURROGATE_CLIP_COV && found[u].x == 1.0) {
        pg_loss = 0.0;
        pg_pull = 0.0;
      }
    }
  }

  var ref_kl = 0.0;
  var ref_pull = 0.0;
  if (params.kl_coef != 0.0) {
    let d = reference - logp;
    if (params.kl_estimator == KL_K1) {
      ref_kl = -d;
      ref_pull = 1.0;
    } else if (params.kl_estimator == KL_K2) {
      ref_kl = 0.5 * d * d;
      ref_pull = -d;
    } else {
      ref_kl = exp(d) - 1.0 - d;
      ref_pull = 1.0 - exp(d);
    }
  }

  let clipped_value = min(
    max(value, old_value - params.value_clip),
    old_value + params.value_clip,
  );
  let error = value - value_target;
  let clipped_error = clipped_value - value_target;
  let value_loss = 0.5 * max(error * error, clipped_error * clipped_error);
  let value_pull = select(error, 0.0, clipped_error * clipped_error > error * error);

  let everything = params.sign == 0.0;
  let surrogate_pull = select(0.0, weight * pg_pull, everything || advantage * params.sign > 0.0);
  let other_pull = select(
    0.0,
    weight * (penalty_pull + params.kl_coef * ref_pull),
    everything,
  );
  let pull = surrogate_pull + other_pull;
  let loss = weight
    * (pg_loss - params.entropy_coef * entropy + params.kl_coef * ref_kl + params.value_coef * value_loss);
  pulls[i] = vec4f(
    pull,
    select(0.0, weight * params.entropy_coef, everything),
    select(0.0, weight * params.value_coef * value_pull, everything),
    0.0,
  );

  // The earliest cause has the highest number, so the maximum over rows finds it.
  var non_finite = 0.0;
  if (!finite(loss) || !finite(pull)) {
    non_finite = f32(CAUSE_LOSS);
  }
  if (!finite(ratio) || !finite(behavior_ratio) || !finite(importance)) {
    non_finite = f32(CAUSE_RATIOS);
  }
  if (!finite(logp) || !finite(entropy) || !finite(behavior) || !finite(proximal)
    || !finite(reference)) {
    non_finite = f32(CAUSE_LOG_PROBABILITIES);
  }
  if (!finite(advantage) || !finite(weight) || !finite(old_value) || !finite(value_target)) {
    non_finite = f32(CAUSE_ADVANTAGES);
  }

  // |π_behavior·min(r·A, clip(r)·A)|: the token's contribution to BAPO's value share.
  let contribution = abs(exp(behavior) * min(ratio * advantage, clipped_ratio * advantage));
  let positive = number(advantage > 0.0);
  let negative = number(advantage < 0.0);
  let below = number(ratio < low);
  let above = number(ratio > high);
  let inside = 1.0 - below - above;
  let strength = abs(surrogate_pull);
  let at = STAT_COUNT * i;
  stats[at + STAT_LOSS] = loss;
  stats[at + STAT_ENTROPY] = entropy;
  stats[at + STAT_APPROX_KL] = approx_kl;
  stats[at + STAT_RATIO] = behavior_ratio;
  stats[at + STAT_CLIPPED_LOW] = number(clipped_low);
  stats[at + STAT_CLIPPED_HIGH] = number(clipped_high);
  stats[at + STAT_CLIPPED_DUAL] = number(clipped_dual);
  stats[at + STAT_REF_KL] = ref_kl;
  stats[at + STAT_VALUE_LOSS] = value_loss;
  stats[at + STAT_POSITIVE_CONTRIBUTION] = positive * contribution;
  stats[at + STAT_NEGATIVE_CONTRIBUTION] = negative * contribution;
  stats[at + STAT_NON_FINITE] = non_finite;
  stats[at + STAT_POSITIVE_BELOW] = positive * below;
  stats[at + STAT_POSITIVE_INSIDE] = positive * inside;
  stats[at + STAT_POSITIVE_ABOVE] = positive * above;
  stats[at + STAT_NEGATIVE_BELOW] = negative * below;
  stats[at + STAT_NEGATIVE_INSIDE] = negative * inside;
  stats[at + STAT_NEGATIVE_ABOVE] = negative * above;
  stats[at + STAT_POSITIVE_BELOW_PULL] = positive * below * strength;
  stats[at + STAT_POSITIVE_INSIDE_PULL] = positive * inside * strength;
  stats[at + STAT_POSITIVE_ABOVE_PULL] = positive * above * strength;
  stats[at + STAT_NEGATIVE_BELOW_PULL] = negative * below * strength;
  stats[at + STAT_NEGATIVE_INSIDE_PULL] = negative * inside * strength;
  stats[at + STAT_NEGATIVE_ABOVE_PULL] = negative * above * strength;
}
