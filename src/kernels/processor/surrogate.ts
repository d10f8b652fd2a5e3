/**
 * Loss, statistics and pulls of each loss row, from its log-probability, entropy and value. See
 * src/algorithms/objective.ts for the formulas and papers. Computed in float64, except that values
 * that may overflow are rounded to float32, so that they are non-finite in the same cases.
 */
import { klEstimators } from '../../algorithms/kl-penalty.ts';
import { surrogates } from '../../algorithms/surrogates.ts';
import type { KernelCall, ProcessorKernels } from '../../device/processor/kernel.ts';
import { nonFiniteCauses, placesOf, statColumns } from '../tables.ts';
import { exp32, lossRowColumns } from './loss-rows.ts';

/** A disabled bound. A ratio that overflows exceeds it, but must not be clipped. */
const OFF = 3e38;

const { fround } = Math;

// Separate constants: lookups in a large object are slow.
const {
  loss: LOSS,
  entropy: ENTROPY,
  approxKl: APPROX_KL,
  ratio: RATIO,
  clippedLow: CLIPPED_LOW,
  clippedHigh: CLIPPED_HIGH,
  clippedDual: CLIPPED_DUAL,
  refKl: REF_KL,
  valueLoss: VALUE_LOSS,
  nonFinite: NON_FINITE,
  ...place
} = placesOf(statColumns);

/** Columns by sign of the advantage. Lists are for ratios below, inside and above the bounds. */
const positive = {
  contribution: place.positiveContribution,
  rows: [place.positiveBelow, place.positiveInside, place.positiveAbove],
  pulls: [place.positiveBelowPull, place.positiveInsidePull, place.positiveAbovePull],
} as const;
const negative = {
  contribution: place.negativeContribution,
  rows: [place.negativeBelow, place.negativeInside, place.negativeAbove],
  pulls: [place.negativeBelowPull, place.negativeInsidePull, place.negativeAbovePull],
} as const;

/** Settings in float32, as in the shader. */
function settingsOf(call: KernelCall) {
  const setting = (name: string) => fround(call.params[name] ?? 0);
  return {
    surrogate: surrogates[call.params.surrogate ?? 0],
    klEstimator: klEstimators[call.params.kl_estimator ?? 0],
    clipLow: setting('clip_low'),
    clipHigh: setting('clip_high'),
    dualClip: setting('dual_clip'),
    importanceCap: setting('importance_cap'),
    entropyCoef: setting('entropy_coef'),
    klCoef: setting('kl_coef'),
    valueCoef: setting('value_coef'),
    valueClip: setting('value_clip'),
    penaltyCoef: setting('penalty_coef'),
    sign: setting('sign'),
  };
}
type Settings = ReturnType<typeof settingsOf>;

/** Inputs of a surrogate for one row. */
interface Ratios {
  readonly logp: number;
  readonly advantage: number;
  readonly ratio: number;
  readonly logratio: number;
  readonly importance: number;
  readonly low: number;
  readonly high: number;
  /** Result of the step over the whole update; `share` is DPO's share of the pair's loss. */
  readonly found: number;
  readonly share: number;
}

/** The bound that sets a token's gradient to 0, if any. */
type Clip = 'low' | 'high' | 'dual' | null;

/** The surrogate's unweighted loss and its derivative with respect to logp. */
interface Surrogate {
  readonly loss: number;
  readonly pull: number;
  /** KL-Cov's addition to the derivative. */
  readonly penaltyPull: number;
  readonly clip: Clip;
}

function lossOf(loss: number, pull: number, clip: Clip = null, penaltyPull = 0): Surrogate {
  return { loss, pull, clip, penaltyPull };
}

function clamp(x: number, least: number, most: number): number {
  return Math.min(Math.max(x, least), most);
}

function surrogateOf(row: Ratios, settings: Settings): Surrogate {
  const { logp, advantage, ratio, logratio, importance, low, high, found, share } = row;
  switch (settings.surrogate) {
    case 'cispo': {
      const pull = -importance * clamp(ratio, low, high) * advantage;
      return lossOf(pull * logp, pull);
    }
    case 'kl_cov': {
      const pull = -importance * advantage * ratio;
      if (found !== 1) return lossOf(pull, pull);
      const { penaltyCoef } = settings;
      const penalty = penaltyCoef * Math.abs(logratio);
      return lossOf(pull + penalty, pull, null, penaltyCoef * Math.sign(logratio));
    }
    case 'likelihood':
      return lossOf(-advantage * logp, -advantage);
    case 'dpo':
      return lossOf(share, -found);
    default:
      return clipped(row, settings);
  }
}

/** The gradient is 0 exactly if a clipped branch is the larger (dual clip: smaller) loss. */
function clipped(row: Ratios, { surrogate, dualClip }: Settings): Surrogate {
  const { advantage, ratio, importance, low, high, found } = row;
  let clip: Clip = null;
  if (advantage > 0 && ratio > high) clip = 'high';
  else if (advantage < 0 && ratio < low) clip = 'low';
  else if (advantage < 0 && ratio > dualClip && dualClip < OFF) clip = 'dual';
  if (surrogate === 'clip_cov' && found === 1) return lossOf(0, 0, clip);
  if (clip === 'dual') return lossOf(-importance * advantage * dualClip, 0, clip);
  const clippedRatio = clamp(ratio, low, high);
  return lossOf(
    importance * Math.max(-advantage * ratio, -advantage * clippedRatio),
    clip === null ? -importance * advantage * ratio : 0,
    clip,
  );
}

/** KL penalty as a function of d = log π_ref − log π. */
function referenceKl(d: number, { klCoef, klEstimator }: Settings): number {
  if (klCoef === 0) return 0;
  if (klEstimator === 'k1') return -d;
  return klEstimator === 'k2' ? 0.5 * d * d : Math.exp(d) - 1 - d;
}

/** Derivative of the KL penalty with respect to log π. */
function referencePull(d: number, { klCoef, klEstimator }: Settings): number {
  if (klCoef === 0) return 0;
  if (klEstimator === 'k1') return 1;
  return klEstimator === 'k2' ? -d : 1 - Math.exp(d);
}

export const surrogateKernels: ProcessorKernels = {
  /**
   * stats (loss rows, 24) as in `statColumns`;
   * pulls (loss rows, 4) = ∂loss/∂logp, −∂loss/∂H, ∂loss/∂value, 0.
   */
  'surrogate.surrogate': (call) => {
    const { first = 0, loss_rows = 0 } = call.params;
    const settings = settingsOf(call);
    const columns = lossRowColumns(call);
    const { behaviorLogp, proximalLogp, referenceLogp, weight: weightOf } = columns;
    const { advantage: advantageOf, oldValue: oldValueOf, return: returnOf } = columns;
    const { logp: logpOf, entropy: entropyOf, value: estimateOf } = columns;
    const found = call.floats('found');
    const stats = call.floats('stats');
    const pulls = call.floats('pulls');
    let { clipLow: low, clipHigh: high } = settings;
    // BAPO's bounds come from its search.
    if (settings.surrogate === 'bapo') [low = 0, high = 0] = call.floats('bounds');

    for (let i = 0; i < loss_rows; i++) {
      const u = first + i;
      const behavior = behaviorLogp(u);
      const proximal = proximalLogp(u);
      const reference = referenceLogp(u);
      const advantage = advantageOf(u);
      const weight = weightOf(u);
      const oldValue = oldValueOf(u);
      const valueTarget = returnOf(u);
      const logp = logpOf(u);
      const entropy = entropyOf(u);
      const value = estimateOf(u);
      const ownFound = found[2 * u] ?? 0;
      const share = found[2 * u + 1] ?? 0;

      const logratio = logp - proximal;
      const ratio = exp32(settings.surrogate === 'gspo' ? ownFound : logratio);
      const importance = Math.min(exp32(proximal - behavior), settings.importanceCap);
      const behaviorRatio = exp32(logp - behavior);
      const approxKl = behaviorRatio - 1 - (logp - behavior);
      const pg = surrogateOf(
        { logp, advantage, ratio, logratio, importance, low, high, found: ownFound, share },
        settings,
      );
      const refKl = referenceKl(reference - logp, settings);
      const refPull = referencePull(reference - logp, settings);

      const clippedValue = clamp(
        value,
        oldValue - settings.valueClip,
        oldValue + settings.valueClip,
      );
      const error = value - valueTarget;
      const clippedError = clippedValue - valueTarget;
      const valueLoss = 0.5 * Math.max(error ** 2, clippedError ** 2);
      const valuePull = clippedError ** 2 > error ** 2 ? 0 : error;

      // A per-sign diagnosis keeps only the surrogate's gradient of that sign.
      const everything = settings.sign === 0;
      const pgPull = everything || advantage * settings.sign > 0 ? weight * pg.pull : 0;
      const otherPull = everything ? weight * (pg.penaltyPull + settings.klCoef * refPull) : 0;
      const pull = fround(pgPull + otherPull);
      const loss = fround(
        weight *
          (pg.loss -
            settings.entropyCoef * entropy +
            settings.klCoef * refKl +
            settings.valueCoef * valueLoss),
      );
      pulls[4 * i] = pull;
      pulls[4 * i + 1] = everything ? weight * settings.entropyCoef : 0;
      pulls[4 * i + 2] = everything ? weight * settings.valueCoef * valuePull : 0;
      pulls[4 * i + 3] = 0;

      // Earlier causes have higher numbers, so that the maximum over rows is the first cause.
      let cause: (typeof nonFiniteCauses)[number] = null;
      if (!Number.isFinite(loss + pull)) cause = 'loss';
      if (!Number.isFinite(ratio + behaviorRatio + importance)) cause = 'ratios';
      if (!Number.isFinite(logp + entropy + behavior + proximal + reference)) {
        cause = 'log-probabilities';
      }
      if (!Number.isFinite(advantage + weight + oldValue + valueTarget)) cause = 'advantages';

      // |π_behavior·min(r·A, clip(r)·A)|: the token's contribution to BAPO's value share.
      const contribution = Math.abs(
        Math.exp(behavior) * Math.min(ratio * advantage, clamp(ratio, low, high) * advantage),
      );
      const strength = Math.abs(pgPull);
      const zone = ratio < low ? 0 : ratio > high ? 2 : 1;

      const at = i * statColumns.length;
      stats.fill(0, at, at + statColumns.length);
      stats[at + LOSS] = loss;
      stats[at + ENTROPY] = entropy;
      stats[at + APPROX_KL] = approxKl;
      stats[at + RATIO] = behaviorRatio;
      stats[at + CLIPPED_LOW] = pg.clip === 'low' ? 1 : 0;
      stats[at + CLIPPED_HIGH] = pg.clip === 'high' ? 1 : 0;
      stats[at + CLIPPED_DUAL] = pg.clip === 'dual' ? 1 : 0;
      stats[at + REF_KL] = refKl;
      stats[at + VALUE_LOSS] = valueLoss;
      stats[at + NON_FINITE] = cause === null ? 0 : nonFiniteCauses.indexOf(cause);
      if (advantage === 0) continue;
      const side = advantage > 0 ? positive : negative;
      stats[at + side.contribution] = contribution;
      stats[at + side.rows[zone]] = 1;
      stats[at + side.pulls[zone]] = strength;
    }
  },
};
