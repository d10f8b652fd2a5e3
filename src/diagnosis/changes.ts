/**
 * What changed in a series: jumps, trends and values that are not finite, each with its position and
 * interval.
 */

import { median } from '../algorithms/median.ts';
import { bestChange, changePoints, noiseOf } from './change-points.ts';

/** A series of a log. NaN marks a logged value that is not a number. */
export interface Measured {
  readonly key: string;
  /** Steps, ascending. */
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
}

/** A series that moved from one level to another. */
export interface Change {
  readonly key: string;
  readonly kind: 'jump' | 'trend';
  readonly direction: 'up' | 'down';
  /** Step at which it began: the first row of a jump, or the point where 15% of a trend is complete. */
  readonly at: number;
  /** 90% interval of `at`; for a trend, widened to allow for autocorrelated scatter. */
  readonly from: number;
  readonly to: number;
  /** First step at the new level. */
  readonly until: number;
  /** Mean levels, in the unit of the series. */
  readonly before: number;
  readonly after: number;
  /** Difference of the levels in standard deviations of the scatter. */
  readonly strength: number;
}

/** A single row far above the ones before it. */
export interface Spike {
  readonly key: string;
  readonly at: number;
  readonly value: number;
  /** Median and largest value of the rows before it, and their number. */
  readonly usual: number;
  readonly largest: number;
  readonly rows: number;
}

/** Longer series are averaged into this many bins. */
const MOST_BINS = 800;
/** Minimum difference of two levels in standard deviations. */
const APART = 1.5;
/** Minimum difference of two levels as a share of the series' range. */
const SHARE = 0.12;
/** Larger deviations from the neighbors' median are clamped to this. */
const OUTLIER = 5;

const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

interface Points {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** The finite points, binned if there are many. */
export function finitePoints({ x, y }: Pick<Measured, 'x' | 'y'>, bins = MOST_BINS): Points {
  const [xs, ys]: [number[], number[]] = [[], []];
  for (let i = 0; i < y.length; i++) {
    const [at, value] = [x[i] ?? Number.NaN, y[i] ?? Number.NaN];
    if (!Number.isFinite(at) || !Number.isFinite(value)) continue;
    xs.push(at);
    ys.push(value);
  }
  const size = Math.ceil(xs.length / bins);
  if (size <= 1) return { x: xs, y: ys };
  const starts = Array.from({ length: Math.ceil(xs.length / size) }, (_, i) => i * size);
  return {
    x: starts.map((at) => xs[at] ?? Number.NaN),
    y: starts.map((at) => meanOf(ys.slice(at, at + size))),
  };
}

/** Rows with NaN or infinities. */
export interface NonFiniteRows {
  /** Step of the first one. */
  readonly at: number;
  readonly count: number;
  /** Number of consecutive such rows at the end of the series, and the step of the first of them. */
  readonly last: number;
  readonly lastFrom: number;
}

/** The rows with NaN or infinities; null if all are finite. */
export function notFiniteFrom({ x, y }: Pick<Measured, 'x' | 'y'>): NonFiniteRows | null {
  let [count, at, last, lastFrom] = [0, Number.NaN, 0, Number.NaN];
  for (let i = 0; i < y.length; i++) {
    if (Number.isFinite(y[i])) {
      last = 0;
      continue;
    }
    if (count++ === 0) at = x[i] ?? Number.NaN;
    if (last++ === 0) lastFrom = x[i] ?? Number.NaN;
  }
  return count === 0 ? null : { at, count, last, lastFrom };
}

/**
 * Scatter around a level: the robust estimate or, if larger, the root mean square of the smallest
 * 90% of the changes. The robust estimate is zero for series that mostly repeat one value.
 */
function scatterOf(values: readonly number[]): number {
  const steps = values.slice(1).map((value, i) => Math.abs(value - (values[i] ?? value)));
  const sorted = steps.toSorted((a, b) => a - b);
  const trimmed = sorted.slice(0, Math.ceil(0.9 * sorted.length));
  const rms = Math.sqrt(meanOf(trimmed.map((step) => step * step)) / 2);
  return Math.max(noiseOf(values), Number.isNaN(rms) ? 0 : rms);
}

/**
 * Clamps outliers to a multiple of the scatter around their neighbors' median, so that a spike does
 * not change the level.
 */
function withoutOutliers(values: readonly number[], noise: number): readonly number[] {
  return values.map((value, i) => {
    const near = median(values.slice(Math.max(0, i - 3), i + 4));
    const limit = OUTLIER * noise;
    return Math.min(near + limit, Math.max(near - limit, value));
  });
}

/** First-order autocorrelation of the residuals around the segments. */
function autocorrelation(residuals: readonly number[]): number {
  let [along, square] = [0, 0];
  residuals.forEach((value, i) => {
    square += value * value;
    if (i > 0) along += value * (residuals[i - 1] ?? 0);
  });
  return square === 0 ? 0 : along / square;
}

interface Segment {
  readonly from: number;
  readonly to: number;
  readonly mean: number;
}

function segmentsOf(values: readonly number[], cuts: readonly number[]): readonly Segment[] {
  const edges = [0, ...cuts, values.length];
  return edges.slice(1).map((to, i) => {
    const from = edges[i] ?? 0;
    return { from, to, mean: meanOf(values.slice(from, to)) };
  });
}

/** Joins neighbors whose levels are closer than `apart`, the closest first. */
function joined(values: readonly number[], cuts: readonly number[], apart: number) {
  let left = [...cuts];
  for (;;) {
    const segments = segmentsOf(values, left);
    let [closest, distance] = [-1, apart];
    for (let i = 1; i < segments.length; i++) {
      const gap = Math.abs((segments[i]?.mean ?? 0) - (segments[i - 1]?.mean ?? 0));
      if (gap < distance) [closest, distance] = [i - 1, gap];
    }
    if (closest === -1) return segments;
    left = left.filter((_, i) => i !== closest);
  }
}

/** Positive values that span more than this factor are compared on a logarithmic scale. */
const WIDE = 4;

function scaled(values: readonly number[]): readonly number[] {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  const wide = (sorted[0] ?? 0) > 0 && at(0.95) > WIDE * at(0.05);
  return wide ? values.map(Math.log) : values;
}

/**
 * The changes of one series, in the order of their steps: segments of equal mean by PELT, with a penalty that
 * grows with the autocorrelation, then consecutive steps in one direction are merged into a trend.
 */
export function changesOf(series: Measured): readonly Change[] {
  const points = finitePoints(series);
  const n = points.y.length;
  if (n < 8) return [];
  const raw = scaled(points.y);
  const range = Math.max(...raw) - Math.min(...raw);
  if (range === 0) return [];
  const noise = Math.max(scatterOf(raw), 0.01 * range);
  const values = withoutOutliers(raw, noise);
  const least = Math.max(n < 60 ? 2 : 3, Math.min(12, Math.round(n / 40) + 1));
  const rough = changePoints(values, least);
  const residuals = segmentsOf(values, rough).flatMap(({ from, to, mean }) =>
    values.slice(from, to).map((value) => value - mean),
  );
  const r = Math.max(0, Math.min(0.7, autocorrelation(residuals)));
  const cuts = r > 0.1 ? changePoints(values, least, (1 + r) / (1 - r)) : rough;
  const inner = [...values].sort((a, b) => a - b);
  const spread =
    (inner[Math.round(0.98 * (n - 1))] ?? 0) - (inner[Math.round(0.02 * (n - 1))] ?? 0);
  const segments = joined(values, cuts, Math.max(APART * noise, SHARE * (spread || range)));
  const changes: Change[] = [];
  for (let i = 1; i < segments.length; ) {
    const [before, first] = [segments[i - 1], segments[i]];
    if (before === undefined || first === undefined) break;
    const up = first.mean > before.mean;
    let last = first;
    while (i + 1 < segments.length) {
      const next = segments[i + 1];
      if (next === undefined || next.mean > last.mean !== up) break;
      last = next;
      i++;
    }
    i++;
    changes.push(changeOf(series.key, points, values, { before, first, last, noise, up }));
  }
  return changes;
}

interface Move {
  readonly before: Segment;
  readonly first: Segment;
  readonly last: Segment;
  readonly noise: number;
  readonly up: boolean;
}

function changeOf(
  key: string,
  { x, y }: Points,
  values: readonly number[],
  { before, first, last, noise, up }: Move,
): Change {
  const stepAt = (i: number) => x[Math.max(0, Math.min(x.length - 1, i))] ?? Number.NaN;
  const [from, to] = [meanOf(y.slice(before.from, before.to)), meanOf(y.slice(last.from, last.to))];
  const common = {
    ...{ key, direction: up ? ('up' as const) : ('down' as const), before: from, after: to },
    strength: Math.abs(last.mean - before.mean) / noise,
    until: stepAt(last.from),
  };
  if (first === last) {
    const place = bestChange(values.slice(before.from, first.to));
    return {
      ...{ ...common, kind: 'jump', at: stepAt(first.from) },
      from: stepAt(Math.min(first.from, before.from + (place?.from ?? first.from - before.from))),
      to: stepAt(Math.max(first.from, before.from + (place?.to ?? first.from - before.from))),
    };
  }
  const part = (of: readonly number[]) => of.slice(before.from, last.to);
  const ramps = [
    rampOf(part(values), before.mean, last.mean, noise),
    // For a logarithmic scale, also fit the raw values and use the earlier onset.
    ...(y === values ? [] : [rampOf(part(y), from, to, scatterOf(part(y)))]),
  ].sort((a, b) => a.at - b.at);
  const ramp = ramps[0] ?? { at: first.from - before.from, from: 0, to: 0 };
  return {
    ...{ ...common, kind: 'trend', at: stepAt(before.from + ramp.at) },
    from: stepAt(before.from + ramp.from),
    to: stepAt(before.from + ramp.to),
  };
}

/** Share of a trend that is complete at its reported onset. */
const VISIBLE = 0.15;
/** Maximum number of candidate start points of a ramp, and of end points. */
const RAMP_GRID = 40;
/** Half the 90% quantile of χ² with two degrees of freedom, in units of σ². */
const RAMP_PROFILE = 4.61;
/** Factor by which autocorrelated scatter widens the interval: (1 + r)/(1 − r) at r = 0.5. */
const RAMP_WIDER = 3;

/**
 * The least-squares ramp from one level to another.
 *
 * @returns index at which 15% of it is done, with the range over all ramps that fit nearly as well
 */
function rampOf(
  values: readonly number[],
  low: number,
  high: number,
  noise: number,
): { readonly at: number; readonly from: number; readonly to: number } {
  const n = values.length;
  const stride = Math.max(1, Math.ceil(n / RAMP_GRID));
  // Cumulative squared errors around each level, from the front and from the back.
  const head = [0];
  for (let i = 0; i < n; i++) head.push((head[i] ?? 0) + ((values[i] ?? 0) - low) ** 2);
  const tail = new Array<number>(n + 1).fill(0);
  for (let i = n - 1; i >= 0; i--) tail[i] = (tail[i + 1] ?? 0) + ((values[i] ?? 0) - high) ** 2;
  const fits: { readonly at: number; readonly cost: number }[] = [];
  for (let a = 0; a < n; a += stride) {
    for (let b = a + 1; b <= n; b += stride) {
      let cost = (head[a] ?? 0) + (tail[b] ?? 0);
      for (let i = a; i < b; i++) {
        const way = low + ((high - low) * (i - a + 1)) / (b - a + 1);
        cost += ((values[i] ?? 0) - way) ** 2;
      }
      fits.push({ at: Math.round(a + VISIBLE * (b - a)), cost });
    }
  }
  const best = fits.reduce((one, other) => (other.cost < one.cost ? other : one), {
    at: 0,
    cost: Number.POSITIVE_INFINITY,
  });
  const variance = Math.max(noise * noise, best.cost / n, Number.MIN_VALUE);
  const near = fits.filter(({ cost }) => cost - best.cost <= RAMP_WIDER * RAMP_PROFILE * variance);
  const places = near.map(({ at }) => at);
  return { at: best.at, from: Math.min(...places), to: Math.max(...places) };
}

/** Minimum deviation of a spike from the rows before it, and minimum multiple of their 90th percentile. */
const SPIKE_DEVIATIONS = 8;
const SPIKE_TIMES = 3;

/**
 * Rows that lie more than 8 deviations above the median of the rows before them (at most 50) and
 * above 3 times their 90th percentile.
 */
export function spikesOf(series: Measured): readonly Spike[] {
  const { x, y } = finitePoints(series, Number.POSITIVE_INFINITY);
  const spikes: Spike[] = [];
  for (let i = 4; i < y.length; i++) {
    const before = y.slice(Math.max(0, i - 50), i);
    const usual = median(before);
    const sorted = before.toSorted((a, b) => a - b);
    const high = sorted[Math.floor(0.9 * (sorted.length - 1))] ?? usual;
    const deviation = 1.4826 * median(before.map((value) => Math.abs(value - usual)));
    const value = y[i] ?? 0;
    const limit = Math.max(usual + SPIKE_DEVIATIONS * deviation, SPIKE_TIMES * high, 0);
    const largest = sorted.at(-1) ?? 0;
    // Rows of zeros (groups without reward differences) do not show the usual size.
    const measured = sorted.filter((one) => one > 0).length;
    if (measured >= 2 && value > limit && (usual > 0 || value > SPIKE_TIMES * largest)) {
      const rows = before.length;
      spikes.push({ key: series.key, at: x[i] ?? Number.NaN, value, usual, largest, rows });
    }
  }
  return spikes;
}
