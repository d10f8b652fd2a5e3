/**
 * Each loss row's loss, statistics and pulls, from its log-probability, entropy and value. The formulas
 * and their papers are in src/algorithms/objective.ts. Computed in float64 but for what may overflow:
 * that is not finite here where it is not in float32.
 */
import { klEstimators } from '../../algorithms/objective.ts';
import { surrogates } from '../../algorithms/surrogates.ts';
import type { KernelCall, ProcessorKernels } from '../../device/processor/kernel.ts';
import { nonFiniteCauses, placesOf, statColumns } from '../tables.ts';
import { exp32, lossRowTables } from './loss-rows.ts';

/** A bound that is switched off; a ratio that overflows is over it and still not clipped. */
const OFF = 3e38;

const { fround } = Math;

const stat = placesOf(statColumns);

/** Columns by the sign of the advantage and by where the ratio lies. */
const sides = {
  positive: {
    contributionColumn: stat.positiveContribution,
    zones: { below: stat.positiveBelow, inside: stat.positiveInside, above: stat.positiveAbove },
    pullZones: {
      below: stat.positiveBelowPull,
      inside: stat.positiveInsidePull,
      above: stat.positiveAbovePull,
    },
  },
  negative: {
    contributionColumn: stat.negativeContribution,
    zones: { below: stat.negativeBelow, inside: stat.negativeInside, above: stat.negativeAbove },
    pullZones: {
      below: stat.negativeBelowPull,
      inside: stat.negativeInsidePull,
      above: stat.negativeAbovePull,
    },
  },
};

/** Settings as the shader has them, in float32. */
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

/** What a surrogate is told of a row; `found` is what the step over the whole update gave it. */
interface Ratios {
  readonly logp: number;
  readonly advantage: number;
  readonly ratio: number;
  readonly logratio: number;
  readonly importance: number;
  readonly low: number;
  readonly high: number;
  readonly found: readonly [number, number];
}

/** The surrogate's loss before its weight, and its derivative with respect to logp. */
interface Surrogate {
  readonly loss: number;
  readonly pull: number;
  /** What KL-Cov adds to the derivative. */
  readonly penaltyPull: number;
  readonly clippedLow: boolean;
  readonly clippedHigh: boolean;
  readonly clippedDual: boolean;
}

const unclipped = { penaltyPull: 0, clippedLow: false, clippedHigh: false, clippedDual: false };

function clamp(x: number, least: number, most: number): number {
  return Math.min(Math.max(x, least), most);
}

function surrogateOf(row: Ratios, settings: Settings): Surrogate {
  const { logp, advantage, ratio, logratio, importance, low, high, found } = row;
  const clippedRatio = clamp(ratio, low, high);
  switch (settings.surrogate) {
    case 'cispo': {
      const pull = -importance * clippedRatio * advantage;
      return { ...unclipped, pull, loss: pull * logp };
    }
    case 'kl_cov': {
      const pull = -importance * advantage * ratio;
      if (found[0] !== 1) return { ...unclipped, pull, loss: pull };
      return {
        ...unclipped,
        pull,
        loss: pull + settings.penaltyCoef * Math.abs(logratio),
        penaltyPull: settings.penaltyCoef * Math.sign(logratio),
      };
    }
    case 'likelihood':
      return { ...unclipped, pull: -advantage, loss: -advantage * logp };
    case 'dpo':
      return { ...unclipped, pull: -found[0], loss: found[1] };
    default:
      return clipped(row, settings, clippedRatio);
  }
}

/** The gradient vanishes exactly where a clipped branch is the larger (dual clip: smaller) loss. */
function clipped(row: Ratios, settings: Settings, clippedRatio: number): Surrogate {
  const { advantage, ratio, importance, low, high, found } = row;
  const { dualClip } = settings;
  const clippedLow = advantage < 0 && ratio < low;
  const clippedHigh = advantage > 0 && ratio > high;
  const clippedDual = dualClip < OFF && advantage < 0 && ratio > dualClip && !clippedLow;
  const marks = { penaltyPull: 0, clippedLow, clippedHigh, clippedDual };
  if (settings.surrogate === 'clip_cov' && found[0] === 1) return { ...marks, loss: 0, pull: 0 };
  if (clippedDual) return { ...marks, loss: -importance * advantage * dualClip, pull: 0 };
  return {
    ...marks,
    loss: importance * Math.max(-advantage * ratio, -advantage * clippedRatio),
    pull: clippedLow || clippedHigh ? 0 : -importance * advantage * ratio,
  };
}

/** The penalty on what lies between the policy and the reference, and its derivative with respect to logp. */
function referencePenalty(d: number, { klCoef, klEstimator }: Settings): [number, number] {
  if (klCoef === 0) return [0, 0];
  if (klEstimator === 'k1') return [-d, 1];
  if (klEstimator === 'k2') return [0.5 * d * d, -d];
  return [Math.exp(d) - 1 - d, 1 - Math.exp(d)];
}

export const surrogateKernels: ProcessorKernels = {
  /** stats (loss rows, 24) as in `statColumns`; pulls (loss rows, 4) = ∂loss/∂logp, −∂loss/∂H, ∂loss/∂value, 0. */
  'surrogate.surrogate': (call) => {
    const { first = 0, loss_rows = 0 } = call.params;
    const settings = settingsOf(call);
    const table = lossRowTables(call);
    const found = call.floats('found');
    const stats = call.floats('stats');
    const pulls = call.floats('pulls');
    let { clipLow: low, clipHigh: high } = settings;
    // BAPO's come from its search.
    if (settings.surrogate === 'bapo') [low = 0, high = 0] = call.floats('bounds');

    for (let i = 0; i < loss_rows; i++) {
      const u = first + i;
      const behaviour = table.input(u, 'behaviourLogp');
      const proximal = table.input(u, 'proximalLogp');
      const reference = table.input(u, 'referenceLogp');
      const advantage = table.input(u, 'advantage');
      const weight = table.input(u, 'weight');
      const oldValue = table.input(u, 'oldValue');
      const valueTarget = table.input(u, 'return');
      const logp = table.score(u, 'logp');
      const entropy = table.score(u, 'entropy');
      const value = table.score(u, 'value');
      const ownFound = [found[2 * u] ?? 0, found[2 * u + 1] ?? 0] as const;

      const logratio = logp - proximal;
      const ratio = exp32(settings.surrogate === 'gspo' ? ownFound[0] : logratio);
      const importance = Math.min(exp32(proximal - behaviour), settings.importanceCap);
      const behaviourRatio = exp32(logp - behaviour);
      const approxKl = behaviourRatio - 1 - (logp - behaviour);
      const pg = surrogateOf(
        { logp, advantage, ratio, logratio, importance, low, high, found: ownFound },
        settings,
      );
      const [refKl, refPull] = referencePenalty(reference - logp, settings);

      const clippedValue = clamp(
        value,
        oldValue - settings.valueClip,
        oldValue + settings.valueClip,
      );
      const error = value - valueTarget;
      const clippedError = clippedValue - valueTarget;
      const valueLoss = 0.5 * Math.max(error ** 2, clippedError ** 2);
      const valuePull = clippedError ** 2 > error ** 2 ? 0 : error;

      // A diagnosis by sign sees the surrogate of its own sign alone.
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

      // The first cause has the highest number, so that a maximum over rows finds it.
      let cause: (typeof nonFiniteCauses)[number] = null;
      if (!Number.isFinite(loss + pull)) cause = 'loss';
      if (!Number.isFinite(ratio + behaviourRatio + importance)) cause = 'ratios';
      if (!Number.isFinite(logp + entropy + behaviour + proximal + reference)) {
        cause = 'log-probabilities';
      }
      if (!Number.isFinite(advantage + weight + oldValue + valueTarget)) cause = 'advantages';

      // |π_behaviour·min(r·A, clip(r)·A)|: what the token adds to BAPO's value share.
      const contribution = Math.abs(
        Math.exp(behaviour) * Math.min(ratio * advantage, clamp(ratio, low, high) * advantage),
      );
      const strength = Math.abs(pgPull);
      const zone = ratio < low ? 'below' : ratio > high ? 'above' : 'inside';

      const at = i * statColumns.length;
      stats.fill(0, at, at + statColumns.length);
      stats[at + stat.loss] = loss;
      stats[at + stat.entropy] = entropy;
      stats[at + stat.approxKl] = approxKl;
      stats[at + stat.ratio] = behaviourRatio;
      stats[at + stat.clippedLow] = Number(pg.clippedLow);
      stats[at + stat.clippedHigh] = Number(pg.clippedHigh);
      stats[at + stat.clippedDual] = Number(pg.clippedDual);
      stats[at + stat.refKl] = refKl;
      stats[at + stat.valueLoss] = valueLoss;
      stats[at + stat.nonFinite] = nonFiniteCauses.indexOf(cause);
      if (advantage === 0) continue;
      const { contributionColumn, zones, pullZones } =
        sides[advantage > 0 ? 'positive' : 'negative'];
      stats[at + contributionColumn] = contribution;
      stats[at + zones[zone]] = 1;
      stats[at + pullZones[zone]] = strength;
    }
  },
};
