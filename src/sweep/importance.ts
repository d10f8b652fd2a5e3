/**
 * Parameter importance: functional ANOVA over a forest of regression trees (Hutter, Hoos and
 * Leyton-Brown 2014, An Efficient Approach for Assessing Hyperparameter Importance, algorithms 1
 * and 2).
 *
 * A tree partitions the space into boxes with one prediction each. Averaged over all other
 * parameters, its prediction is a function of a single parameter. The variance of this function,
 * divided by the total variance, is the share that the parameter explains alone. The remainder is
 * due to interactions.
 */
import { Draws } from './random.ts';
import {
  choiceIndex,
  type Dimension,
  isFixed,
  type Parameter,
  spanPlace,
  type Values,
} from './space.ts';

export interface Importance {
  readonly path: string;
  /** Share of the variance that it explains alone, averaged over trees; 0 to 1. */
  readonly share: number;
  /**
   * Spearman's rank correlation of value and score, from −1 to 1. If positive, larger values are
   * better. Null for a choice, whose values have no order.
   */
  readonly correlation: number | null;
}

export interface Scored {
  readonly values: Values;
  /** Larger is better. */
  readonly score: number;
}

const TREES = 64;
const LEAST_LEAF = 2;
/** Fewer trials cannot separate the parameters. */
export const LEAST_TRIALS = 4;
const STREAM = 0x1f0e57;

/** An axis of the unit cube: the range of a span, or the values of a choice as equal parts. */
interface Axis {
  readonly path: string;
  /** Number of values; 0 for a span. */
  readonly choices: number;
  readonly at: (values: Values) => number;
}

type Box = readonly (readonly [low: number, high: number])[];
interface Leaf {
  readonly box: Box;
  readonly mean: number;
}

/** Importances, largest first; empty for too few trials or if no parameter varies. */
export function importances(
  parameters: readonly Parameter[],
  trials: readonly Scored[],
): readonly Importance[] {
  const free = parameters.filter((parameter) => !isFixed(parameter));
  if (trials.length < LEAST_TRIALS || free.length === 0) return [];
  const axes = free.map(({ path, dimension }) => axisOf(path, dimension, trials));
  const points = trials.map(({ values, score }) => ({
    at: axes.map((axis) => axis.at(values)),
    score,
  }));
  const draws = new Draws(1, STREAM);
  const shares = Array.from({ length: TREES }, () => {
    const sample = points.map(() => points[draws.below(points.length)] as Point);
    return treeShares(grow(sample, axes, draws), axes);
  }).filter((share) => share !== null);
  return axes
    .map(({ path, choices }, axis) => ({
      path,
      share: mean(shares.map((share) => share[axis] ?? 0)),
      correlation: choices > 0 ? null : spearman(points, axis),
    }))
    .sort((a, b) => b.share - a.share);
}

interface Point {
  readonly at: readonly number[];
  readonly score: number;
}

function axisOf(path: string, dimension: Dimension, trials: readonly Scored[]): Axis {
  if (dimension.kind === 'choice') {
    const n = dimension.values.length;
    const at = (values: Values) => (choiceIndex(dimension, values[path] ?? null) + 0.5) / n;
    return { path, choices: n, at };
  }
  const place = (values: Values) => spanPlace(dimension, Number(values[path]));
  const places = trials.map(({ values }) => place(values));
  // A normal distribution is unbounded, so use the range of values tried.
  const low = dimension.normal === null ? dimension.low : Math.min(...places);
  const high = dimension.normal === null ? dimension.high : Math.max(...places);
  const width = high > low ? high - low : 1;
  return { path, choices: 0, at: (values) => (place(values) - low) / width };
}

/**
 * Leaves of a tree. Each cut is the one that reduces the variance most among a random subset of
 * axes.
 */
function grow(points: readonly Point[], axes: readonly Axis[], draws: Draws): readonly Leaf[] {
  const whole: Box = axes.map(() => [0, 1] as const);
  const leaves: Leaf[] = [];
  const open: { readonly box: Box; readonly points: readonly Point[] }[] = [{ box: whole, points }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const cut = bestCut(node.points, axes, draws);
    if (cut === null) {
      leaves.push({ box: node.box, mean: mean(node.points.map(({ score }) => score)) });
      continue;
    }
    const { axis, at } = cut;
    for (const below of [true, false]) {
      open.push({
        box: node.box.map(([low, high], i) =>
          i !== axis
            ? ([low, high] as const)
            : below
              ? ([low, at] as const)
              : ([at, high] as const),
        ),
        points: node.points.filter((point) => (point.at[axis] ?? 0) < at === below),
      });
    }
  }
  return leaves;
}

interface Cut {
  readonly axis: number;
  readonly at: number;
  readonly gain: number;
}

function bestCut(points: readonly Point[], axes: readonly Axis[], draws: Draws): Cut | null {
  if (points.length < 2 * LEAST_LEAF || variance(points) === 0) return null;
  const looked = axes
    .map((_, axis) => axis)
    .filter(() => axes.length === 1 || draws.uniform() < 0.7);
  let best: Cut | null = null;
  for (const axis of looked.length > 0 ? looked : axes.keys()) {
    const cut = bestCutOf(points, axis);
    if (cut !== null && (best === null || cut.gain > best.gain)) best = cut;
  }
  return best;
}

/** The best cut along an axis. A running sum gives the variance reduction of each cut. */
function bestCutOf(points: readonly Point[], axis: number): Cut | null {
  const sorted = points
    .map(({ at, score }) => [at[axis] ?? 0, score] as const)
    .sort(([a], [b]) => a - b);
  const total = points.reduce((sum, { score }) => sum + score, 0);
  let best: Cut | null = null;
  let below = 0;
  for (let n = 1; n < sorted.length; n++) {
    const [before = 0, score = 0] = sorted[n - 1] ?? [];
    const [after = 0] = sorted[n] ?? [];
    below += score;
    if (before === after || Math.min(n, sorted.length - n) < LEAST_LEAF) continue;
    const gain = below ** 2 / n + (total - below) ** 2 / (sorted.length - n);
    if (best === null || gain > best.gain) best = { axis, at: (before + after) / 2, gain };
  }
  return best;
}

/** The share of each axis in the variance of a tree; null for a constant tree. */
function treeShares(leaves: readonly Leaf[], axes: readonly Axis[]): readonly number[] | null {
  const volume = ({ box }: Leaf) => box.reduce((product, [low, high]) => product * (high - low), 1);
  const center = leaves.reduce((sum, leaf) => sum + volume(leaf) * leaf.mean, 0);
  const total = leaves.reduce((sum, leaf) => sum + volume(leaf) * (leaf.mean - center) ** 2, 0);
  if (!(total > 1e-12)) return null;
  return axes.map((_, axis) => {
    const ends = new Set(leaves.flatMap(({ box }) => [...(box[axis] ?? [])]));
    const cuts = [...ends].sort((a, b) => a - b);
    return (
      cuts.slice(1).reduce((sum, high, i) => {
        const low = cuts[i] ?? 0;
        const middle = (low + high) / 2;
        // The prediction in this part of the axis, averaged over all other parameters.
        const part = leaves.reduce((inner, leaf) => {
          const [from = 0, to = 1] = leaf.box[axis] ?? [];
          return middle > from && middle < to
            ? inner + (volume(leaf) / (to - from)) * leaf.mean
            : inner;
        }, 0);
        return sum + (high - low) * (part - center) ** 2;
      }, 0) / total
    );
  });
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function variance(points: readonly Point[]): number {
  const center = mean(points.map(({ score }) => score));
  return mean(points.map(({ score }) => (score - center) ** 2));
}

/** Spearman's correlation; equal values get the mean of their ranks. 0 if either is constant. */
function spearman(points: readonly Point[], axis: number): number {
  const x = ranks(points.map(({ at }) => at[axis] ?? 0));
  const y = ranks(points.map(({ score }) => score));
  const [mx, my] = [mean(x), mean(y)];
  const product = (a: readonly number[], ma: number, b: readonly number[], mb: number) =>
    mean(a.map((value, i) => (value - ma) * ((b[i] ?? 0) - mb)));
  const spread = Math.sqrt(product(x, mx, x, mx) * product(y, my, y, my));
  return spread === 0 ? 0 : product(x, mx, y, my) / spread;
}

function ranks(values: readonly number[]): readonly number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
}
