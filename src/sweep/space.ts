/**
 * The search space of a sweep: config fields and their possible values. Distributions have the same
 * names and meanings as in W&B sweep files.
 */
import type { Draws } from './random.ts';

/** A value of a parameter, as written in the file. */
export type Value = string | number | boolean | null | readonly Value[] | { [key: string]: Value };

/** One of a list of values. */
export interface Choice {
  readonly kind: 'choice';
  readonly values: readonly Value[];
  /** Probability of each value; the sum is 1. */
  readonly probabilities: readonly number[];
}

/**
 * A number with a uniform or normal distribution on a linear or logarithmic scale. A position on the scale is
 * the number itself or its natural logarithm.
 */
export interface Span {
  readonly kind: 'span';
  readonly scale: 'linear' | 'log';
  /** Bounds on the scale. For a normal distribution they are far outside the likely range. */
  readonly low: number;
  readonly high: number;
  /** Parameters of the normal distribution, on the scale; null for a uniform one. */
  readonly normal: { readonly mu: number; readonly sigma: number } | null;
  /** Numbers are rounded to a multiple of this; null for no rounding. */
  readonly quantum: number | null;
  /** Draw integers with equal probability, including both bounds. */
  readonly whole: boolean;
}

export type Dimension = Choice | Span;

export interface Parameter {
  /** A config field such as `optimizer.learning_rate`, or `preset`, `method` or `published`. */
  readonly path: string;
  readonly dimension: Dimension;
}

/** The values of a trial by parameter path. */
export type Values = Readonly<Record<string, Value>>;

/** Draws a value from the distribution. */
export function draw(dimension: Dimension, draws: Draws): Value {
  if (dimension.kind === 'choice') {
    return dimension.values[draws.weighted(dimension.probabilities)] ?? null;
  }
  return spanValue(dimension, drawOnLine(dimension, draws));
}

function drawOnLine({ low, high, normal, whole }: Span, draws: Draws): number {
  if (normal !== null) return normal.mu + normal.sigma * draws.normal();
  if (whole) return low + draws.below(high - low + 1);
  return low + (high - low) * draws.uniform();
}

/** The number at a position on the scale. */
export function spanValue({ scale, low, high, quantum, whole }: Span, place: number): number {
  if (whole) return Math.min(high, Math.max(low, Math.round(place)));
  const value = scale === 'log' ? Math.exp(place) : place;
  if (quantum === null) return value;
  // 3 · 0.1 becomes 0.3 instead of 0.30000000000000004.
  return Number((Math.round(value / quantum) * quantum).toPrecision(12));
}

/** The position of a number on the scale, clamped to the bounds. */
export function spanPlace({ scale, low, high }: Span, value: number): number {
  const place = scale === 'log' ? Math.log(value) : value;
  return Math.min(high, Math.max(low, place));
}

/** Distance between adjacent values on the scale; 0 for a continuous dimension. */
export function spanStep({ scale, quantum, whole }: Span): number {
  if (whole) return 1;
  return scale === 'linear' ? (quantum ?? 0) : 0;
}

/** The number of values in a grid; null for a continuous dimension. */
export function gridCount(dimension: Dimension): number | null {
  if (dimension.kind === 'choice') return dimension.values.length;
  const grid = gridOf(dimension);
  return grid === null ? null : grid.last - grid.first + 1;
}

/**
 * One value of a grid, in order.
 *
 * @param index from 0 to `gridCount` − 1
 */
export function gridValue(dimension: Dimension, index: number): Value {
  if (dimension.kind === 'choice') return dimension.values[index] ?? null;
  const grid = gridOf(dimension);
  return grid === null ? null : spanValue(dimension, (grid.first + index) * grid.step);
}

/** The multiples of the step that make up a grid; null for a continuous dimension. */
function gridOf({ low, high, quantum, whole, scale, normal }: Span) {
  const step = whole ? 1 : quantum;
  if (normal !== null || scale === 'log' || step === null) return null;
  return { step, first: Math.round(low / step), last: Math.round(high / step) };
}

/** Index of a value in a choice; −1 if it is missing. */
export function choiceIndex({ values }: Choice, value: Value): number {
  const text = JSON.stringify(value);
  return values.findIndex((known) => JSON.stringify(known) === text);
}

/** Whether a parameter has only one value. */
export function isFixed({ dimension }: Parameter): boolean {
  return dimension.kind === 'choice'
    ? dimension.values.length === 1
    : dimension.low === dimension.high;
}
