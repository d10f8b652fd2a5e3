/**
 * Each loss row's loss, statistics and pulls, from its log-probability, entropy and value. The formulas
 * and their papers are in src/algorithms/objective.ts. Computed in float64 but for what may overflow:
 * that is not finite here where it is not in float32.
 */
import { klEstimators } from '../../algorithms/objective.ts';
import { surrogates } from '../../algorithms/surrogates.ts';
import type { KernelCall, ProcessorKernels } from '../../device/processor/kernel.ts';
import { inputColumns, nonFiniteCauses, placesOf, scoreColumns, statColumns } from '../tables.ts';
import { exp32 } from './loss-rows.ts';

/** A bound that is switched off; a ratio that overflows is over it and still not clipped. */
const OFF = 3e38;

const { fround } = Math;

const stat = placesOf(statColumns);
const inputPlace = placesOf(inputColumns);
const scorePlace = placesOf(scoreColumns);

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
  logp: number;
  advantage: number;
  ratio: number;
  logratio: number;
  importance: number;
  low: number;
  high: number;
  found0: number;
  found1: number;
}

/** The surrogate's loss before its weight, and its derivative with respect to logp. */
interface Surrogate {
  loss: number;
  pull: number;
  /** What KL-Cov adds to the derivative. */
  penaltyPull: number;
  clippedLow: boolean;
  clippedHigh: boolean;
  clippedDual: boolean;
}

function clamp(x: number, least: number, most: number): number {
  return x < least ? least : x > most ? most : x;
}

/**
 * Fills `out`. One record serves all rows: a new one for each would be most of the work.
 */
function surrogateOf(row: Ratios, settings: Settings, out: Surrogate): void {
  const { logp, advantage, ratio, logratio, importance, low, high } = row;
  const clippedRatio = clamp(ratio, low, high);
  out.penaltyPull = 0;
  out.clippedLow = false;
  out.clippedHigh = false;
  out.clippedDual = false;
  switch (settings.surrogate) {
    case 'cispo':
      out.pull = -importance * clippedRatio * advantage;
      out.loss = out.pull * logp;
      return;
    case 'kl_cov':
      out.pull = -importance * advantage * ratio;
      out.loss = out.pull;
      if (row.found0 !== 1) return;
      out.loss += settings.penaltyCoef * Math.abs(logratio);
      out.penaltyPull = settings.penaltyCoef * Math.sign(logratio);
      return;
    case 'likelihood':
      out.pull = -advantage;
      out.loss = -advantage * logp;
      return;
    case 'dpo':
      out.pull = -row.found0;
      out.loss = row.found1;
      return;
    default:
      clipped(row, settings, clippedRatio, out);
  }
}

/** The gradient vanishes exactly where a clipped branch is the larger (dual clip: smaller) loss. */
function clipped(row: Ratios, settings: Settings, clippedRatio: number, out: Surrogate): void {
  const { advantage, ratio, importance, low, high } = row;
  const { dualClip } = settings;
  out.clippedLow = advantage < 0 && ratio < low;
  out.clippedHigh = advantage > 0 && ratio > high;
  out.clippedDual = dualClip < OFF && advantage < 0 && ratio > dualClip && !out.clippedLow;
  out.pull = 0;
  if (settings.surrogate === 'clip_cov' && row.found0 === 1) {
    out.loss = 0;
  } else if (out.clippedDual) {
    out.loss = -importance * advantage * dualClip;
  } else {
    out.loss = importance * Math.max(-advantage * ratio, -advantage * clippedRatio);
    if (!out.clippedLow && !out.clippedHigh) out.pull = -importance * advantage * ratio;
  }
}

/** The penalty on what lies between the policy and the reference. */
function referencePenalty(d: number, { klCoef, klEstimator }: Settings): number {
  if (klCoef === 0) return 0;
  if (klEstimator === 'k1') return -d;
  if (klEstimator === 'k2') return 0.5 * d * d;
  return Math.exp(d) - 1 - d;
}

/** Its derivative with respect to logp. */
function referencePull(d: number, { klCoef, klEstimator }: Settings): number {
  if (klCoef === 0) return 0;
  if (klEstimator === 'k1') return 1;
  return klEstimator === 'k2' ? -d : 1 - Math.exp(d);
}

export const surrogateKernels: ProcessorKernels = {
  /** stats (loss rows, 24) as in `statColumns`; pulls (loss rows, 4) = ∂loss/∂logp, −∂loss/∂H, ∂loss/∂value, 0. */
  'surrogate.surrogate': (call) => {
    const { first = 0, loss_rows = 0 } = call.params;
    const settings = settingsOf(call);
    const inputs = call.floats('inputs');
    const scores = call.floats('scores');
    const found = call.floats('found');
    const stats = call.floats('stats');
    const pulls = call.floats('pulls');
    let { clipLow: low, clipHigh: high } = settings;
    // BAPO's come from its search.
    if (settings.surrogate === 'bapo') [low = 0, high = 0] = call.floats('bounds');

    const row: Ratios = {
      logp: 0,
      advantage: 0,
      ratio: 0,
      logratio: 0,
      importance: 0,
      low,
      high,
      found0: 0,
      found1: 0,
    };
    const pg: Surrogate = {
      loss: 0,
      pull: 0,
      penaltyPull: 0,
      clippedLow: false,
      clippedHigh: false,
      clippedDual: false,
    };
    stats.fill(0, 0, loss_rows * statColumns.length);
    for (let i = 0; i < loss_rows; i++) {
      const u = first + i;
      const input = inputColumns.length * u;
      const score = scoreColumns.length * u;
      const behaviour = inputs[input + inputPlace.behaviourLogp] ?? 0;
      const proximal = inputs[input + inputPlace.proximalLogp] ?? 0;
      const reference = inputs[input + inputPlace.referenceLogp] ?? 0;
      const advantage = inputs[input + inputPlace.advantage] ?? 0;
      const weight = inputs[input + inputPlace.weight] ?? 0;
      const oldValue = inputs[input + inputPlace.oldValue] ?? 0;
      const valueTarget = inputs[input + inputPlace.return] ?? 0;
      const logp = scores[score + scorePlace.logp] ?? 0;
      const entropy = scores[score + scorePlace.entropy] ?? 0;
      const value = scores[score + scorePlace.value] ?? 0;
      row.found0 = found[2 * u] ?? 0;
      row.found1 = found[2 * u + 1] ?? 0;

      const logratio = logp - proximal;
      const ratio = exp32(settings.surrogate === 'gspo' ? row.found0 : logratio);
      const importance = Math.min(exp32(proximal - behaviour), settings.importanceCap);
      const behaviourRatio = exp32(logp - behaviour);
      const approxKl = behaviourRatio - 1 - (logp - behaviour);
      row.logp = logp;
      row.advantage = advantage;
      row.ratio = ratio;
      row.logratio = logratio;
      row.importance = importance;
      surrogateOf(row, settings, pg);
      const refKl = referencePenalty(reference - logp, settings);
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
