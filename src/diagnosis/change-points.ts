/** Detects level changes in a series, offline and online. */

import { median } from '../algorithms/median.ts';

/** Standard deviation of a normal distribution in median absolute deviations. */
const DEVIATIONS = 1.4826;

/**
 * Standard deviation of the scatter around a level, from the median absolute deviation of first
 * differences over √2, which is robust to steps and trends; NaN for fewer than two values.
 */
export function noiseOf(values: readonly number[]): number {
  const steps = values.slice(1).map((value, i) => value - (values[i] ?? value));
  const middle = median(steps);
  return (DEVIATIONS * median(steps.map((step) => Math.abs(step - middle)))) / Math.SQRT2;
}

/** Sum of squared deviations of a segment from its own mean, in constant time per segment. */
function costs(values: readonly number[]): (from: number, to: number) => number {
  const sums = [0];
  const squares = [0];
  values.forEach((value, i) => {
    sums.push((sums[i] ?? 0) + value);
    squares.push((squares[i] ?? 0) + value * value);
  });
  return (from, to) => {
    const sum = (sums[to] ?? 0) - (sums[from] ?? 0);
    const square = (squares[to] ?? 0) - (squares[from] ?? 0);
    return Math.max(0, square - (sum * sum) / (to - from));
  };
}

/**
 * Changes of the mean by PELT (Killick, Fearnhead and Eckley, arXiv:1101.1438): the minimum-cost
 * segmentation, where each change costs 3 σ² ln n, and candidates that can never be optimal again are pruned.
 *
 * @param least minimum number of values between two changes
 * @param factor multiplies the penalty; (1 + r)/(1 − r) for noise of autocorrelation r
 * @returns index of the first value of each segment after the first
 */
export function changePoints(values: readonly number[], least = 5, factor = 1): readonly number[] {
  const n = values.length;
  const noise = noiseOf(values);
  if (n < 2 * least || Number.isNaN(noise)) return [];
  const cost = costs(values);
  // Without this, a series with hardly any scatter would be split at every rounding error.
  const floor = 1e-6 * cost(0, n);
  const penalty = 3 * factor * Math.max(noise * noise, floor) * Math.log(n);
  const best = [-penalty];
  const before: number[] = [0];
  // Candidate starts of a segment; each can be optimal only for ends up to `until`.
  let open: readonly { readonly from: number; readonly until: number }[] = [
    { from: 0, until: Number.POSITIVE_INFINITY },
  ];
  for (let to = least; to <= n; to++) {
    const costTo = (from: number) => (best[from] ?? Number.POSITIVE_INFINITY) + cost(from, to);
    let lowest = Number.POSITIVE_INFINITY;
    for (const { from } of open) {
      const total = costTo(from) + penalty;
      if (total < lowest) {
        lowest = total;
        before[to] = from;
      }
    }
    best[to] = lowest;
    // Starting a new segment at `to` is cheaper, but only for ends at which it has the minimum
    // length.
    open = open
      .map(({ from, until }) => ({
        from,
        until: costTo(from) <= lowest ? until : Math.min(until, to + least - 1),
      }))
      .filter(({ until }) => until > to);
    const next = to - least + 1;
    if (next >= least) open = [...open, { from: next, until: Number.POSITIVE_INFINITY }];
  }
  const changes: number[] = [];
  for (let at = before[n] ?? 0; at > 0; at = before[at] ?? 0) changes.unshift(at);
  return changes;
}

export interface ChangePoint {
  /** Index of the first value after the change. */
  readonly at: number;
  /** The change lies between these two with 90% confidence, by its profile likelihood. */
  readonly from: number;
  readonly to: number;
}

/** Half the 90% quantile of χ² with one degree of freedom, in units of σ². */
const PROFILE = 2.71;

/**
 * The single best-fitting change of the mean, with its confidence interval; undefined for fewer
 * than four values.
 */
export function bestChange(values: readonly number[]): ChangePoint | undefined {
  const n = values.length;
  if (n < 4) return undefined;
  const cost = costs(values);
  const total = (at: number) => cost(0, at) + cost(at, n);
  let at = 1;
  for (let place = 2; place < n; place++) if (total(place) < total(at)) at = place;
  const variance = Math.max(noiseOf(values) ** 2, total(at) / n, Number.EPSILON);
  const near = (place: number) => total(place) - total(at) <= PROFILE * variance;
  let [from, to] = [at, at];
  while (from > 1 && near(from - 1)) from -= 1;
  while (to < n - 1 && near(to + 1)) to += 1;
  return { at, from, to };
}

/** Settings of the two-sided CUSUM, in standard deviations. */
const DRIFT = 0.5;
const LIMIT = 5;

export interface Alarm {
  /** Index of the value that raised the alarm. */
  readonly at: number;
  /** Index of the first value after the sum was last zero, where the drift began. */
  readonly onset: number;
  readonly direction: 'up' | 'down';
}

/**
 * The first alarm of a two-sided CUSUM (Page 1954) around a known level; undefined if the values
 * stay near it. Non-finite values are skipped.
 */
export function cusum(
  values: readonly number[],
  level: number,
  noise: number,
  start = 0,
): Alarm | undefined {
  let [up, down] = [0, 0];
  let [upFrom, downFrom] = [start, start];
  for (let at = start; at < values.length; at++) {
    const value = values[at] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    const off = (value - level) / noise;
    up = Math.max(0, up + off - DRIFT);
    down = Math.max(0, down - off - DRIFT);
    if (up === 0) upFrom = at + 1;
    if (down === 0) downFrom = at + 1;
    if (up > LIMIT) return { at, onset: upFrom, direction: 'up' };
    if (down > LIMIT) return { at, onset: downFrom, direction: 'down' };
  }
  return undefined;
}
