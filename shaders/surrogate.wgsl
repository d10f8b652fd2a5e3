// Each loss row's loss, statistics and pulls, from its log-probability, entropy and value. The formulas
// and their papers are in src/algorithms/objective.ts.

// In the order of `surrogates`; those not named here clip as PPO does.
const GSPO = 2u;
const CISPO = 3u;
const CLIP_COV = 4u;
const KL_COV = 5u;
const LIKELIHOOD = 6u;
const DPO = 7u;
const BAPO = 1u;

// In the order of `klEstimators`.
const K1 = 0u;
const K2 = 1u;

// A bound that is switched off; a ratio that overflows is over it and still not clipped.
const OFF = 3.0e38;

struct Params {
  // The micro-batch's loss rows are first .. first+loss_rows-1 of the update's.
  first: u32,
  loss_rows: u32,
  surrogate: u32,
  kl_estimator: u32,
  // Bounds of the ratio; BAPO's come from its search.
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
  // Not 0: only advantages of this sign pull, and no entropy, KL or value term does.
  sign: f32,
}

// (update's rows, 2): behaviour, proximal and reference log-probability, advantage;
//                     weight, old value, return, 0.
@group(0) @binding(0) var<storage, read> inputs: array<vec4f>;
// (update's rows): log-probability, entropy, value, 0.
@group(0) @binding(1) var<storage, read> scores: array<vec4f>;
// (update's rows): GSPO: mean log ratio, 0. Clip-Cov and KL-Cov: 1 where picked, 0.
//                  DPO: ±β·σ(−margin), the row's share of the pair's loss.
@group(0) @binding(2) var<storage, read> found: array<vec2f>;
// BAPO's bounds: low, high.
@group(0) @binding(3) var<storage, read> bounds: array<f32>;
// (loss rows, 24): the columns of `statColumns`.
@group(0) @binding(4) var<storage, read_write> stats: array<vec4f>;
// (loss rows): ∂loss/∂logp, −∂loss/∂H, ∂loss/∂value, 0.
@group(0) @binding(5) var<storage, read_write> pulls: array<vec4f>;
@group(0) @binding(6) var<uniform> params: Params;

// Compilers may assume that no float is NaN or infinite, so look at the bits: an exponent of all ones
// means either.
fn finite(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

fn number(x: bool) -> f32 {
  return select(0.0, 1.0, x);
}

@compute @workgroup_size(64)
fn surrogate(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= params.loss_rows) {
    return;
  }
  let u = params.first + i;
  let behaviour = inputs[2u * u].x;
  let proximal = inputs[2u * u].y;
  let reference = inputs[2u * u].z;
  let advantage = inputs[2u * u].w;
  let weight = inputs[2u * u + 1u].x;
  let old_value = inputs[2u * u + 1u].y;
  let value_target = inputs[2u * u + 1u].z;
  let logp = scores[u].x;
  let entropy = scores[u].y;
  let value = scores[u].z;

  var low = params.clip_low;
  var high = params.clip_high;
  if (params.surrogate == BAPO) {
    low = bounds[0];
    high = bounds[1];
  }
  let logratio = logp - proximal;
  var ratio = exp(logratio);
  if (params.surrogate == GSPO) {
    ratio = exp(found[u].x);
  }
  let clipped_ratio = min(max(ratio, low), high);
  let importance = min(exp(proximal - behaviour), params.importance_cap);
  let behaviour_logratio = logp - behaviour;
  let behaviour_ratio = exp(behaviour_logratio);
  let approx_kl = (behaviour_ratio - 1.0) - behaviour_logratio;

  // The surrogate's loss before its weight, and its derivative with respect to logp.
  var pg_loss = 0.0;
  var pg_pull = 0.0;
  // What KL-Cov adds to the derivative.
  var penalty_pull = 0.0;
  var clipped_low = false;
  var clipped_high = false;
  var clipped_dual = false;
  switch (params.surrogate) {
    case CISPO: {
      pg_pull = -importance * clipped_ratio * advantage;
      pg_loss = pg_pull * logp;
    }
    case KL_COV: {
      pg_pull = -importance * advantage * ratio;
      pg_loss = pg_pull;
      if (found[u].x == 1.0) {
        pg_loss += params.penalty_coef * abs(logratio);
        penalty_pull = params.penalty_coef * sign(logratio);
      }
    }
    case LIKELIHOOD: {
      pg_pull = -advantage;
      pg_loss = -advantage * logp;
    }
    case DPO: {
      pg_pull = -found[u].x;
      pg_loss = found[u].y;
    }
    default: {
      // The gradient vanishes exactly where a clipped branch is the larger (dual clip: smaller) loss.
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
      if (params.surrogate == CLIP_COV && found[u].x == 1.0) {
        pg_loss = 0.0;
        pg_pull = 0.0;
      }
    }
  }

  var ref_kl = 0.0;
  var ref_pull = 0.0;
  if (params.kl_coef != 0.0) {
    let d = reference - logp;
    if (params.kl_estimator == K1) {
      ref_kl = -d;
      ref_pull = 1.0;
    } else if (params.kl_estimator == K2) {
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

  // The first cause has the highest number, so that a maximum over rows finds it.
  var non_finite = 0.0;
  if (!finite(loss) || !finite(pull)) {
    non_finite = 1.0;
  }
  if (!finite(ratio) || !finite(behaviour_ratio) || !finite(importance)) {
    non_finite = 2.0;
  }
  if (!finite(logp) || !finite(entropy) || !finite(behaviour) || !finite(proximal)
    || !finite(reference)) {
    non_finite = 3.0;
  }
  if (!finite(advantage) || !finite(weight) || !finite(old_value) || !finite(value_target)) {
    non_finite = 4.0;
  }

  // |π_behaviour·min(r·A, clip(r)·A)|: what the token adds to BAPO's value share.
  let contribution = abs(exp(behaviour) * min(ratio * advantage, clipped_ratio * advantage));
  let positive = number(advantage > 0.0);
  let negative = number(advantage < 0.0);
  let below = number(ratio < low);
  let above = number(ratio > high);
  let zone = vec3f(below, 1.0 - below - above, above);
  let strength = abs(surrogate_pull);
  let positive_zone = positive * zone;
  let negative_zone = negative * zone;
  stats[6u * i] = vec4f(loss, entropy, approx_kl, behaviour_ratio);
  stats[6u * i + 1u] = vec4f(number(clipped_low), number(clipped_high), number(clipped_dual), ref_kl);
  stats[6u * i + 2u] = vec4f(value_loss, positive * contribution, negative * contribution, non_finite);
  stats[6u * i + 3u] = vec4f(positive_zone, negative_zone.x);
  stats[6u * i + 4u] = vec4f(negative_zone.yz, positive_zone.xy * strength);
  stats[6u * i + 5u] = vec4f(positive_zone.z * strength, negative_zone * strength);
}
