/**
 * The tree-structured Parzen estimator (Bergstra et al. 2011, Algorithms for Hyper-Parameter
 * Optimization, section 4) with Optuna's defaults: independent parameters, 24 candidates, and the
 * best tenth of the trials (at most 25) as good ones.
 *
 * It estimates two densities for each parameter: l(x) of the values in good trials and g(x) of
 * those in all others. It draws candidates from l and proposes the one with the largest ratio
 * l(x) / g(x), which has the largest expected improvement.
 */
import { normalBetween, normalDensity } from './normal.ts';
import type { Draws } from './random.ts';
import {
  type Choice,
  choiceIndex,
  type Dimension,
  type Parameter,
  type Span,
  spanPlace,
  spanStep,
  spanValue,
  type Value,
  type Values,
} from './space.ts';

/** The result of an earlier trial. */
export interface Observation {
  /** Trial number. */
  readonly number: number;
  readonly values: Values;
  /** Larger is better; null for a failed trial. */
  readonly score: number | null;
  /** `pending` trials count as bad, so that parallel proposals differ. */
  readonly standing: 'complete' | 'stopped' | 'failed' | 'pending';
  /** Number of rungs that the trial reached. */
  readonly rungs: number;
}

const CANDIDATES = 24;
const MOST_GOOD = 25;
const PRIOR_WEIGHT = 1;

/** Number of good trials among n: ⌈n/10⌉, at most 25. */
export function goodCount(n: number): number {
  return Math.min(Math.ceil(0.1 * n), MOST_GOOD);
}

const order = { complete: 0, stopped: 1, failed: 2, pending: 3 } as const;

/**
 * Orders trials best first: finished ones by score, then stopped ones, latest rung first, then the
 * others.
 */
export function compareObservations(a: Observation, b: Observation): number {
  const standing = order[standingOf(a)] - order[standingOf(b)];
  if (standing !== 0) return standing;
  if (a.rungs !== b.rungs && a.standing === 'stopped') return b.rungs - a.rungs;
  return (b.score ?? 0) - (a.score ?? 0);
}

function standingOf({ standing, score }: Observation): Observation['standing'] {
  return score === null && standing !== 'pending' ? 'failed' : standing;
}

/** @param observations best first */
export function tpe(
  parameters: readonly Parameter[],
  observations: readonly Observation[],
  draws: Draws,
): Values {
  const known = observations.filter(({ standing }) => standing !== 'pending').length;
  const good = goodCount(known);
  const byAge = (some: readonly Observation[]) => some.toSorted((a, b) => a.number - b.number);
  const best = byAge(observations.slice(0, good));
  const others = byAge(observations.slice(good));
  return Object.fromEntries(
    parameters.map(({ path, dimension }) => {
      const seen = (some: readonly Observation[]) => some.map(({ values }) => values[path] ?? null);
      return [path, propose(dimension, seen(best), seen(others), draws)];
    }),
  );
}

function propose(
  dimension: Dimension,
  good: readonly Value[],
  others: readonly Value[],
  draws: Draws,
): Value {
  return dimension.kind === 'choice'
    ? proposeChoice(dimension, good, others, draws)
    : proposeNumber(dimension, good, others, draws);
}

/** Weights of n values, oldest first: 1 for the newest 25, less for older ones. */
function weightsOf(n: number): readonly number[] {
  const ramp = n - MOST_GOOD;
  if (ramp <= 0) return Array.from({ length: n }, () => 1);
  return Array.from({ length: n }, (_, at) =>
    at < ramp ? 1 / n + ((1 - 1 / n) * at) / Math.max(1, ramp - 1) : 1,
  );
}

/** Probability of each choice: observed counts smoothed by the prior. */
export function choiceProbabilities(choice: Choice, seen: readonly Value[]): readonly number[] {
  const kernels = seen.length + 1;
  const smooth = PRIOR_WEIGHT / kernels;
  const n = choice.values.length;
  const weights = [...weightsOf(seen.length), PRIOR_WEIGHT];
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const probabilities = choice.probabilities.map(
    (prior) => ((weights.at(-1) ?? 0) / total) * prior,
  );
  for (const [at, value] of seen.entries()) {
    const share = (weights[at] ?? 0) / total / (1 + n * smooth);
    const chosen = choiceIndex(choice, value);
    for (let i = 0; i < n; i++) {
      probabilities[i] = (probabilities[i] ?? 0) + share * (smooth + (i === chosen ? 1 : 0));
    }
  }
  return probabilities;
}

function proposeChoice(
  choice: Choice,
  good: readonly Value[],
  others: readonly Value[],
  draws: Draws,
): Value {
  const l = choiceProbabilities(choice, good);
  const g = choiceProbabilities(choice, others);
  const candidates = Array.from({ length: CANDIDATES }, () => draws.weighted(l));
  const gain = (at: number) => Math.log(l[at] ?? 0) - Math.log(g[at] ?? 0);
  const best = candidates.reduce((most, at) => (gain(at) > gain(most) ? at : most));
  return choice.values[best] ?? null;
}

/** A mixture of truncated normal distributions. */
export interface Parzen {
  readonly low: number;
  readonly high: number;
  /** Distance between adjacent values; 0 if continuous. */
  readonly step: number;
  readonly kernels: readonly Kernel[];
}

interface Kernel {
  readonly weight: number;
  readonly mu: number;
  readonly sigma: number;
  /** Probability mass within the bounds. */
  readonly mass: number;
}

/**
 * Estimates the density of observed numbers: a normal kernel at each value, as wide as the distance
 * to its farther neighbor, plus a wide prior over the whole range. A kernel is at most as wide as
 * the range and at least 1/min(100, n + 2) of it for n values.
 */
export function parzen(span: Span, seen: readonly number[]): Parzen {
  const step = spanStep(span);
  const low = span.low - step / 2;
  const high = span.high + step / 2;
  const prior = span.normal ?? { mu: (low + high) / 2, sigma: high - low };
  const range = span.normal === null ? high - low : 6 * prior.sigma;
  const places = seen.map((value) => spanPlace(span, value));
  const least = range / Math.min(100, places.length + 2);
  const raw = [...weightsOf(places.length), PRIOR_WEIGHT];
  const total = raw.reduce((sum, weight) => sum + weight, 0);
  const weight = (at: number) => (raw[at] ?? 0) / total;
  const widths = toNeighbors([...places, prior.mu]);
  const kernel = (at: number, mu: number, sigma: number): Kernel => {
    const mass = normalBetween((low - mu) / sigma, (high - mu) / sigma);
    return { weight: weight(at), mu, sigma, mass };
  };
  const seenOnes = places.map((mu, at) =>
    kernel(at, mu, Math.min(range, Math.max(least, widths[at] ?? range))),
  );
  const kernels = [...seenOnes, kernel(places.length, prior.mu, prior.sigma)];
  return { low, high, step, kernels };
}

/** Distance of each position to the farther of its two neighbors, or to its only neighbor at the ends. */
function toNeighbors(places: readonly number[]): readonly number[] {
  const sorted = [...places.entries()].sort(([, a], [, b]) => a - b);
  const widths = places.map(() => 0);
  for (const [at, [index, place]] of sorted.entries()) {
    const before = place - (sorted[at - 1]?.[1] ?? place);
    const after = (sorted[at + 1]?.[1] ?? place) - place;
    widths[index] = Math.max(before, after);
  }
  return widths;
}

/** Log density at a position on the scale; for discrete values, log probability of the step around it. */
export function parzenLogDensity({ step, kernels }: Parzen, place: number): number {
  const density = kernels.reduce((sum, { weight, mu, sigma, mass }) => {
    const here =
      step === 0
        ? normalDensity((place - mu) / sigma) / sigma
        : normalBetween((place - step / 2 - mu) / sigma, (place + step / 2 - mu) / sigma);
    return sum + (weight * here) / mass;
  }, 0);
  return Math.log(Math.max(density, Number.MIN_VALUE));
}

function drawParzen({ low, high, kernels }: Parzen, draws: Draws): number {
  const kernel = kernels[draws.weighted(kernels.map(({ weight }) => weight))];
  if (kernel === undefined) return low;
  // Every kernel is centered within the bounds, so at least a third of the draws are accepted.
  for (;;) {
    const place = kernel.mu + kernel.sigma * draws.normal();
    if (place >= low && place <= high) return place;
  }
}

function proposeNumber(
  span: Span,
  good: readonly Value[],
  others: readonly Value[],
  draws: Draws,
): Value {
  const l = parzen(span, good.filter(isNumber));
  const g = parzen(span, others.filter(isNumber));
  const candidates = Array.from({ length: CANDIDATES }, () =>
    spanValue(span, drawParzen(l, draws)),
  );
  const gains = candidates.map((value) => {
    const place = spanPlace(span, value);
    return parzenLogDensity(l, place) - parzenLogDensity(g, place);
  });
  // If min = max, all candidates are equal and their gains are NaN.
  const best = gains.reduce((most, gain, at) => (gain > (gains[most] ?? 0) ? at : most), 0);
  return candidates[best] ?? null;
}

const isNumber = (value: Value): value is number => typeof value === 'number';
