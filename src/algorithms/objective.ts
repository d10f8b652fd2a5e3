import { type KlEstimator, klEstimate } from './kl-penalty.ts';
import { policyLosses } from './policy-losses.ts';
import { type Surrogate, traitsOf } from './surrogates.ts';

/** How BAPO measures the contribution of positive tokens. */
export const bapoReadings = ['value_share', 'pn_ratio', 'active_gradient_share'] as const;

export type BapoReading = (typeof bapoReadings)[number];

/** Which bound BAPO exhausts first: the paper's order, then the order of the authors' code. */
export const bapoOrders = ['high_first', 'low_first'] as const;

type BapoOrder = (typeof bapoOrders)[number];

/** The bound search of BAPO (arXiv:2510.18927, Algorithm 1). Bounds are ratios. */
export interface BapoSettings {
  readonly reading: BapoReading;
  readonly order: BapoOrder;
  /**
   * ρ₀ in the unit of the contribution measure: a share, or for `pn_ratio` the ratio of positive
   * to negative.
   */
  readonly target: number;
  /** a⁻ and b⁻: initial and maximum c_low. */
  readonly lowMin: number;
  readonly lowMax: number;
  /** a⁺ and b⁺: initial and maximum c_high. */
  readonly highMin: number;
  readonly highMax: number;
  /** δ₂ and δ₁, the steps of c_low and c_high. */
  readonly lowStep: number;
  readonly highStep: number;
}

/** Token selection of Clip-Cov and KL-Cov, and KL-Cov's penalty. */
export interface CovarianceSettings {
  /** Share of an update's tokens; at least one token is selected. */
  readonly fraction: number;
  /** Clip-Cov selects among the tokens whose covariance lies strictly between these. */
  readonly low: number;
  readonly high: number;
  /** KL-Cov's penalty coefficient on |log ratio|. */
  readonly klCoef: number;
  /** Seed of Clip-Cov's selection; different for every update. */
  readonly seed: number;
}

/** Everything that turns loss rows into a loss. */
export interface ObjectiveSettings {
  readonly surrogate: Surrogate;
  /** Bounds of the ratio, unless they are searched for. */
  readonly clipLow: number;
  readonly clipHigh: number;
  /**
   * Dual clip (arXiv:1912.09729): for A < 0 the surrogate is at least dualClip·A; Infinity is off.
   */
  readonly dualClip: number;
  /**
   * Upper limit of the weight π_prox/π_behavior (truncated importance sampling); Infinity is off.
   */
  readonly importanceCap: number;
  /** Adds −entropyCoef·entropy to the loss. */
  readonly entropyCoef: number;
  /** Adds coef·estimate of KL(π‖π_reference) to the loss. */
  readonly kl: { readonly estimator: KlEstimator; readonly coef: number };
  /**
   * Adds coef·½·max((v − R)², (clip(v, v_old ± clip) − R)²) to the loss; with coef 0 the value
   * head is not trained, with clip Infinity values are not clipped.
   */
  readonly value: { readonly coef: number; readonly clip: number };
  readonly bapo: BapoSettings;
  readonly covariance: CovarianceSettings;
  /** β of DPO. */
  readonly dpoBeta: number;
  /**
   * 0: the gradient is complete. 1 or −1: it contains only the policy gradient of tokens whose
   * advantage has this sign.
   */
  readonly sign: 0 | 1 | -1;
}

/**
 * The plain clipped surrogate. Optional parts are off; their settings are the papers' values, for
 * BAPO those of the main column.
 */
export const defaultObjective: ObjectiveSettings = {
  surrogate: 'ppo_clip',
  clipLow: 0.8,
  clipHigh: 1.2,
  dualClip: Number.POSITIVE_INFINITY,
  importanceCap: Number.POSITIVE_INFINITY,
  entropyCoef: 0,
  kl: { estimator: 'k3', coef: 0 },
  value: { coef: 0, clip: Number.POSITIVE_INFINITY },
  bapo: {
    reading: 'value_share',
    order: 'high_first',
    target: 0.4,
    lowMin: 0.6,
    lowMax: 0.9,
    highMin: 1.2,
    highMax: 3,
    lowStep: 0.02,
    highStep: 0.05,
  },
  covariance: { fraction: 0.002, low: 1, high: 5, klCoef: 1, seed: 0 },
  dpoBeta: 0.1,
  sign: 0,
};

/** The loss rows of a whole update; every list has one entry for each of the U rows. */
export interface LossRows {
  /** log π of the token that the agent generated, in nats, under the current policy. */
  readonly logps: ArrayLike<number>;
  /** Entropy of π in nats. */
  readonly entropies: ArrayLike<number>;
  readonly values: ArrayLike<number>;
  /** log π of the same token under the policy that generated it. */
  readonly behaviorLogps: ArrayLike<number>;
  /** log π for the denominator of ratios; the behavior policy's in plain PPO. */
  readonly proximalLogps: ArrayLike<number>;
  /** log π under the reference policy. */
  readonly referenceLogps: ArrayLike<number>;
  readonly advantages: ArrayLike<number>;
  /** Weight of the row in the loss; 1/U each for a token mean. */
  readonly weights: ArrayLike<number>;
  /** Value estimate at the time the advantages were computed. */
  readonly oldValues: ArrayLike<number>;
  /** Target of the value. */
  readonly returns: ArrayLike<number>;
  /** Index of the row's episode within the update. */
  readonly episodes: ArrayLike<number>;
}

/**
 * Results over the whole update that a surrogate needs before its rows can be evaluated separately.
 */
export interface Batchwide {
  /** Bounds in effect. */
  readonly clipLow: number;
  readonly clipHigh: number;
  /** Contribution of positive tokens at searched bounds; NaN for other bounds. */
  readonly rho: number;
  /**
   * (U) two numbers per row, by what the surrogate depends on; [0, 0] if it needs none:
   * - episode: mean log ratio of the row's episode, 0
   * - covariance: 1 for a selected row, 0
   * - pair: ±β·σ(−margin), + for the better episode; pair loss / rows of the pair
   */
  readonly found: readonly (readonly [number, number])[];
}

/** The contribution of one loss row. */
export interface SurrogateRow {
  /** Loss with entropy, KL and value terms, before its weight. */
  readonly loss: number;
  /** ∂(weighted loss)/∂log π. */
  readonly pull: number;
  /** −∂(weighted loss)/∂H. */
  readonly entropyWeight: number;
  /** ∂(weighted loss)/∂value. */
  readonly dvalue: number;
  /**
   * ∂(weighted loss)/∂log π of the surrogate, including KL-Cov's penalty, without the entropy,
   * reference and value terms.
   */
  readonly surrogatePull: number;
  /** π/π_behavior. */
  readonly ratio: number;
  /** The ratio that is clipped: π/π_prox, or the episode's s. */
  readonly clipRatio: number;
  /**
   * (ratio − 1) − log ratio: an estimate of the KL divergence to the behavior policy, never < 0.
   */
  readonly approxKl: number;
  /** Estimate of the KL divergence to the reference policy; 0 without a penalty. */
  readonly refKl: number;
  /** ½·max of the squared value errors, before its coefficient. */
  readonly valueLoss: number;
  /** The lower bound removed the gradient: A < 0 and r < clipLow. */
  readonly clippedLow: boolean;
  /** The upper bound removed the gradient: A > 0 and r > clipHigh. */
  readonly clippedHigh: boolean;
  /** The dual clip removed the gradient: A < 0 and r > dualClip. */
  readonly clippedDual: boolean;
  /** |π_behavior·min(r·A, clip(r)·A)|; the first is 0 unless A > 0, the second unless A < 0. */
  readonly positiveContribution: number;
  readonly negativeContribution: number;
  /** Position of r: below clipLow, between the bounds, above clipHigh. */
  readonly zone: 'below' | 'inside' | 'above';
  /** |∂(weighted loss)/∂log π| of the policy gradient alone, without KL terms. */
  readonly pgPull: number;
}

/**
 * Loss, gradients and statistics of row i: the loss of its token (`policy-losses.ts`), plus
 * −entropyCoef·H, coef·KL(π‖π_ref) with d = log π_ref − log π as k1 = −d, k2 = d²/2 or k3 = eᵈ − 1
 * − d, and coef·½·max((v − R)², (clip(v, v_old ± clip) − R)²).
 *
 * With a `sign`, the loss is complete and only the gradient is restricted.
 */
export function surrogateRow(
  rows: LossRows,
  i: number,
  settings: ObjectiveSettings,
  { clipLow, clipHigh, found }: Batchwide,
): SurrogateRow {
  const { surrogate, dualClip, sign, entropyCoef } = settings;
  const logp = at(rows.logps, i);
  const behavior = at(rows.behaviorLogps, i);
  const proximal = at(rows.proximalLogps, i);
  const A = at(rows.advantages, i);
  const weight = at(rows.weights, i);
  const ofRow = at(found, i);

  const logratio = traitsOf(surrogate).looksAt === 'episode' ? ofRow[0] : logp - proximal;
  const ratio = Math.exp(logratio);
  const clippedRatio = clamp(ratio, clipLow, clipHigh);
  const importance = Math.min(Math.exp(proximal - behavior), settings.importanceCap);
  const policy = policyLosses[surrogate]({
    A,
    logp,
    logratio,
    ratio,
    clipLow,
    clipHigh,
    clippedRatio,
    dualClip,
    importance,
    found: ofRow,
    penaltyCoef: settings.covariance.klCoef,
  });
  const { penaltyPull = 0 } = policy;

  const kl = referenceKl(settings.kl, logp, at(rows.referenceLogps, i));
  const value = valueTerm(rows, i, settings.value.clip);
  const everything = sign === 0;
  const ownPull = everything || A * sign > 0 ? weight * policy.pull : 0;
  const otherPull = everything ? weight * (penaltyPull + settings.kl.coef * kl.slope) : 0;
  const behaviorLogratio = logp - behavior;
  const behaviorRatio = Math.exp(behaviorLogratio);
  const contribution = Math.abs(Math.exp(behavior) * Math.min(ratio * A, clippedRatio * A));
  return {
    loss:
      policy.loss -
      entropyCoef * at(rows.entropies, i) +
      settings.kl.coef * kl.estimate +
      settings.value.coef * value.loss,
    pull: ownPull + otherPull,
    surrogatePull: everything ? weight * (policy.pull + penaltyPull) : ownPull,
    entropyWeight: everything ? weight * entropyCoef : 0,
    dvalue: everything ? weight * settings.value.coef * value.slope : 0,
    ratio: behaviorRatio,
    clipRatio: ratio,
    approxKl: behaviorRatio - 1 - behaviorLogratio,
    refKl: kl.estimate,
    valueLoss: value.loss,
    clippedLow: policy.clipped === 'low',
    clippedHigh: policy.clipped === 'high',
    clippedDual: policy.clipped === 'dual',
    positiveContribution: A > 0 ? contribution : 0,
    negativeContribution: A < 0 ? contribution : 0,
    zone: ratio < clipLow ? 'below' : ratio > clipHigh ? 'above' : 'inside',
    pgPull: Math.abs(ownPull),
  };
}

/** Estimate of KL(π‖π_ref) and its derivative with respect to log π; zero without a penalty. */
function referenceKl(
  { estimator, coef }: ObjectiveSettings['kl'],
  logp: number,
  reference: number,
): { estimate: number; slope: number } {
  if (coef === 0) return { estimate: 0, slope: 0 };
  const slope = { k1: 1, k2: logp - reference, k3: -Math.expm1(reference - logp) };
  return { estimate: klEstimate(logp, reference, estimator), slope: slope[estimator] };
}

/** The clipped squared error of the value and its derivative with respect to the value. */
function valueTerm(rows: LossRows, i: number, clip: number): { loss: number; slope: number } {
  const v = at(rows.values, i);
  const old = at(rows.oldValues, i);
  const error = v - at(rows.returns, i);
  const clippedError = clamp(v, old - clip, old + clip) - at(rows.returns, i);
  const clipped = clippedError ** 2 > error ** 2;
  return { loss: 0.5 * Math.max(error ** 2, clippedError ** 2), slope: clipped ? 0 : error };
}

function clamp(x: number, low: number, high: number): number {
  return Math.min(Math.max(x, low), high);
}

/** @throws {RangeError} for an index outside the list. */
export function at<T>(values: ArrayLike<T>, i: number): T {
  const value = values[i];
  if (value === undefined) throw new RangeError(`no entry ${i} among ${values.length}`);
  return value;
}
