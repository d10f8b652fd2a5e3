/** The state of a run from its outcome series alone: score, success or reward per step. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export const outcomeStates = [
  'learning',
  'plateau',
  'dead',
  'slow_collapse',
  'sudden_collapse',
  'dip_and_recovery',
  'oscillating',
  'not_finite',
  'too_short',
] as const;
export type OutcomeState = (typeof outcomeStates)[number];

/** A mean of the outcome with its 90% interval by block bootstrap. */
export interface Level {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** A stretch of steps. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface Outcome {
  readonly state: OutcomeState;
  /** First and last step with a value. */
  readonly steps: Stretch;
  readonly start: Level;
  readonly end: Level;
  /** The highest mean over a window, and the steps of that window. */
  readonly best: Level & Stretch;
  /**
   * From the last step near the best level to the first step near the final one; null without a
   * fall.
   */
  readonly fall: Stretch | null;
  /** The lowest mean after a fall that was recovered; null without one. */
  readonly dip: (Level & Stretch) | null;
  /** First step from which the value is constant to the end, over at least five rows. */
  readonly constantFrom: number | null;
  /** First step with NaN or an infinity, and the number of such values. */
  readonly notFinite: { readonly from: number; readonly count: number } | null;
}

/** With fewer rows, a state may be due to chance. */
const LEAST_ROWS = 10;
/** Longer series are averaged into this many bins. */
const MOST_BINS = 600;
/** Two windows differ if their means are this many standard errors apart. */
const CLEAR = 3;
/** The same for extremes, which are selected from many windows. */
const CLEAR_EXTREME = 4;
/** A score between 0 and 1 that never exceeds this is dead. */
const DEAD = 0.03;
/** Share of the level, or of the range of a score with negative values, that a collapse loses. */
const LOST = 0.5;
const LOST_RANGE = 0.6;
/**
 * A fall counts as sudden if it takes at most this share of the rows, or at most `SUDDEN_ROWS` rows and a
 * share of `SUDDEN_MOST`.
 */
const SUDDEN = 0.1;
const SUDDEN_ROWS = 4;
const SUDDEN_MOST = 0.2;
/** If at least this share of the rows is at the lowest value, the other rows are lucky episodes. */
const AT_FLOOR = 0.8;
/** A series with several falls, each at least this share of the total loss, oscillates instead. */
const LIKE_IT = 0.5;
const BOOTSTRAPS = 200;
/** A score between 0 and 1 above this leaves little to learn. */
const SOLVED = 0.9;

const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

interface Point {
  /** First and last step of the bin. */
  readonly from: number;
  readonly to: number;
  readonly y: number;
}

function binned(x: ArrayLike<number>, y: ArrayLike<number>): readonly Point[] {
  const finite: Point[] = [];
  for (let i = 0; i < x.length; i++) {
    const [at, value] = [x[i] ?? Number.NaN, y[i] ?? Number.NaN];
    if (Number.isFinite(value) && Number.isFinite(at)) finite.push({ from: at, to: at, y: value });
  }
  const size = Math.ceil(finite.length / MOST_BINS);
  if (size <= 1) return finite;
  const bins: Point[] = [];
  for (let at = 0; at < finite.length; at += size) {
    const part = finite.slice(at, at + size);
    const [first, last] = [part[0], part.at(-1)];
    if (first === undefined || last === undefined) continue;
    bins.push({ from: first.from, to: last.to, y: meanOf(part.map((point) => point.y)) });
  }
  return bins;
}

/** Centered running means over `window` values; shorter at the ends. */
function smoothed(values: readonly number[], window: number): readonly number[] {
  const half = Math.floor(window / 2);
  return values.map((_, i) =>
    meanOf(values.slice(Math.max(0, i - half), Math.min(values.length, i + half + 1))),
  );
}

/** Mean with its 90% interval by the circular block bootstrap (Politis and Romano 1992), seeded. */
export function levelOf(values: readonly number[]): Level {
  const n = values.length;
  const value = meanOf(values);
  if (n < 3) return { value, low: value, high: value };
  const block = Math.max(1, Math.round(Math.sqrt(n)));
  // With few blocks the bootstrap is too narrow; this factor is close to the ratio of Student's t to normal
  // quantiles.
  const widened = Math.sqrt(n / Math.max(1, n - block)) * (1 + (1.5 * block) / n);
  const random = xoroshiro128plus(n);
  const means: number[] = [];
  for (let draw = 0; draw < BOOTSTRAPS; draw++) {
    let sum = 0;
    for (let taken = 0; taken < n; ) {
      const start = uniformInt(random, 0, n - 1);
      for (let i = 0; i < block && taken < n; i++, taken++) sum += values[(start + i) % n] ?? value;
    }
    means.push(value + widened * (sum / n - value));
  }
  means.sort((a, b) => a - b);
  const at = (share: number) => means[Math.round(share * (BOOTSTRAPS - 1))] ?? value;
  return { value, low: at(0.05), high: at(0.95) };
}

/**
 * Alternating extremes of a curve, each at least `limit` from the one before; indices, including
 * the first.
 */
function turningPoints(values: readonly number[], limit: (level: number) => number): number[] {
  const turns: number[] = [];
  let [high, low] = [0, 0];
  let direction = 0;
  values.forEach((value, i) => {
    if (value > (values[high] ?? value)) high = i;
    if (value < (values[low] ?? value)) low = i;
    const top = values[high] ?? value;
    const bottom = values[low] ?? value;
    if (direction >= 0 && top - value >= limit(top)) {
      turns.push(high);
      [direction, low] = [-1, i];
      high = i;
    } else if (direction <= 0 && value - bottom >= limit(value)) {
      turns.push(low);
      [direction, high] = [1, i];
      low = i;
    }
  });
  turns.push(direction > 0 ? high : low);
  return turns;
}

/** The step from which all values are the same; null if there are fewer than five. */
function constantFrom(points: readonly Point[]): number | null {
  const last = points.at(-1);
  if (last === undefined) return null;
  const before = points.findLastIndex((point) => point.y !== last.y);
  return points.length - before - 1 >= 5 ? (points[before + 1]?.from ?? null) : null;
}

/** Where the raw values leave one level and reach another, near where their smoothed curve does. */
function stepIn(
  values: readonly number[],
  left: number,
  until: number,
  high: number,
  low: number,
): readonly [from: number, to: number] {
  const lost = high - low;
  const lately = (i: number) => meanOf(values.slice(Math.max(0, i - 2), i + 1));
  const soon = (i: number) => meanOf(values.slice(i, i + 3));
  const still = high - 0.3 * lost;
  const near = values.findLastIndex((_, i) => i <= until && lately(i) >= still);
  // A mean over three rows stays high for one or two rows longer than the values.
  const from = values.findLastIndex((value, i) => i <= near && i > near - 3 && value >= still);
  const to = values.findIndex(
    (value, i) => i > from && Math.max(value, soon(i)) <= low + 0.15 * lost,
  );
  return [from === -1 ? left : from, to === -1 ? until : to];
}

/** Whether a score between 0 and 1 ends near 1. */
export const isSolved = ({ end, best }: Pick<Outcome, 'end' | 'best'>) =>
  best.value <= 1 && end.value > SOLVED;

/**
 * The state of a run.
 *
 * @param x steps, ascending
 * @param y score, success or reward; higher is better. NaN marks a non-finite value, not a missing
 *   one
 * @returns null without any value
 */
export function outcomeOf(x: ArrayLike<number>, y: ArrayLike<number>): Outcome | null {
  let [bad, badFrom] = [0, Number.NaN];
  // Before the first episode ends there is no mean, which some tools log as NaN.
  const begin = Array.from(y).findIndex(Number.isFinite);
  for (let i = Math.max(0, begin); i < y.length; i++) {
    if (Number.isFinite(y[i])) continue;
    if (bad++ === 0) badFrom = x[i] ?? Number.NaN;
  }
  const notFinite = bad === 0 ? null : { from: badFrom, count: bad };
  const points = binned(x, y);
  const values = points.map((point) => point.y);
  const n = values.length;
  const [firstPoint, lastPoint] = [points[0], points.at(-1)];
  if (firstPoint === undefined || lastPoint === undefined) {
    if (notFinite === null) return null;
    const none = { value: Number.NaN, low: Number.NaN, high: Number.NaN };
    const steps = { from: x[0] ?? Number.NaN, to: x[x.length - 1] ?? Number.NaN };
    return {
      ...{ state: 'not_finite', steps, start: none, end: none, best: { ...none, ...steps } },
      ...{ fall: null, dip: null, constantFrom: null, notFinite },
    };
  }
  const steps = { from: firstPoint.from, to: lastPoint.to };
  const window = Math.max(1, Math.min(n, Math.max(3, Math.round(n / 12))));
  const curve = smoothed(values, window);
  const half = Math.floor(window / 2);
  const around = (i: number) => ({
    ...levelOf(values.slice(Math.max(0, i - half), i + half + 1)),
    from: points[Math.max(0, i - half)]?.from ?? steps.from,
    to: points[Math.min(n - 1, i + half)]?.to ?? steps.to,
  });
  const start = levelOf(values.slice(0, window));
  const end = levelOf(values.slice(-Math.max(window, Math.ceil(n / 10))));
  const bestAt = curve.indexOf(Math.max(...curve));
  const best = around(bestAt);
  const constant = constantFrom(points);
  const common = { steps, start, end, best, constantFrom: constant, notFinite };

  const residuals = values.map((value, i) => value - (curve[i] ?? value));
  const scatter = Math.sqrt(
    meanOf(residuals.map((one) => one * one)) / Math.max(0.5, 1 - 1 / window),
  );
  const error = scatter * Math.sqrt(2 / window);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const range = Math.max(...curve) - Math.min(...curve);
  const bounded = least >= 0 && most <= 1;

  const lastRows = values.length - 1;
  const endsBadly = notFinite !== null && !Number.isFinite(y[y.length - 1]);
  if (notFinite !== null && (endsBadly || notFinite.count > y.length / 2)) {
    return { ...common, state: 'not_finite', fall: null, dip: null };
  }
  if (n < LEAST_ROWS) return { ...common, state: 'too_short', fall: null, dip: null };

  const still = most - least <= 1e-9 * Math.max(1, Math.abs(most));
  const solved = bounded && best.value > SOLVED;
  const floor = values.filter((value) => value - least <= 1e-6 * Math.max(1, most - least)).length;
  const atFloor =
    floor >= AT_FLOOR * n && start.value - least <= 0.1 * (most - least) && !(end.low > start.high);
  if ((bounded && best.value <= DEAD) || (still && !solved) || (atFloor && !solved)) {
    return { ...common, state: 'dead', fall: null, dip: null };
  }

  /** Minimum drop of a level that counts as a fall. */
  const large = (level: number, share: number, ofRange: number) =>
    Math.max(CLEAR_EXTREME * error, least >= 0 ? share * level : ofRange * range);
  const turns = turningPoints(curve, (level) => large(level, 0.4, 0.35));
  const falls = turns.flatMap((at, i) => {
    const next = turns[i + 1];
    return next !== undefined && (curve[next] ?? 0) < (curve[at] ?? 0) ? [[at, next] as const] : [];
  });

  const lost = best.value - end.value;
  const collapsed = lost >= large(best.value, LOST, LOST_RANGE);
  // Drifting series without bounds repeatedly drop by most of their range.
  const like = (level: number) => level >= LIKE_IT * lost;
  const wanders =
    collapsed &&
    least < 0 &&
    turningPoints(curve, () => LIKE_IT * lost).filter((at, i, all) =>
      like((curve[at] ?? 0) - (curve[all[i + 1] ?? at] ?? 0)),
    ).length >= 2;
  if (falls.length >= 3 || wanders) {
    return { ...common, state: 'oscillating', fall: null, dip: null };
  }
  if (collapsed) {
    const leaves = (share: number) =>
      curve.findLastIndex((value) => value >= best.value - share * lost);
    const left = leaves(0.25);
    const arrived = curve.findIndex((value, i) => i > left && value <= end.value + 0.15 * lost);
    const until = arrived === -1 ? lastRows : arrived;
    // Smoothing widens a step by about half the window on either side.
    const rows = Math.max(0, until - left - Math.round(0.6 * window));
    const sudden = rows <= Math.max(Math.min(SUDDEN_ROWS, SUDDEN_MOST * n), SUDDEN * n);
    const [from, to] = sudden
      ? stepIn(values, left, until, best.value, end.value)
      : [leaves(0.1), until];
    const place = (i: number) => points[Math.max(0, Math.min(lastRows, i))]?.to ?? steps.from;
    const fall = { from: place(from), to: place(to) };
    return { ...common, state: sudden ? 'sudden_collapse' : 'slow_collapse', fall, dip: null };
  }
  const deepest = falls.toSorted(
    ([a, b], [c, d]) => (curve[c] ?? 0) - (curve[d] ?? 0) - ((curve[a] ?? 0) - (curve[b] ?? 0)),
  )[0];
  if (deepest !== undefined) {
    const [top, bottom] = deepest;
    const depth = (curve[top] ?? 0) - (curve[bottom] ?? 0);
    if (end.value >= (curve[bottom] ?? 0) + 0.6 * depth) {
      const fall = { from: points[top]?.to ?? steps.from, to: points[bottom]?.to ?? steps.to };
      return { ...common, state: 'dip_and_recovery', fall, dip: around(bottom) };
    }
  }
  const rise = end.value - start.value;
  const risen = rise > Math.max(CLEAR * error, 0.05 * range);
  const below = best.value - end.value > Math.max(CLEAR_EXTREME * error, 0.15 * range);
  const part = (from: number, to: number) =>
    meanOf(values.slice(Math.floor(from * n), Math.ceil(to * n)));
  const lately = scatter * Math.sqrt(2 / Math.max(1, 0.2 * n));
  const rising = part(0.8, 1) - part(0.4, 0.6) > Math.max(CLEAR * lately, 0.02 * range);
  const state = risen && !below && (rising || solved) ? 'learning' : 'plateau';
  return { ...common, state, fall: null, dip: null };
}
