/**
 * What a sweep searches: a parameter is a field of the config and the values that it may take. Names and
 * meanings of distributions are those of W&B's sweep files.
 */
import type { Draws } from './random.ts';

/** A value of a parameter, as the file has it. */
export type Value = string | number | boolean | null | readonly Value[] | { [key: string]: Value };

/** One of a list. */
export interface Choice {
  readonly kind: 'choice';
  readonly values: readonly Value[];
  /** Of each value; they sum to 1. */
  readonly probabilities: readonly number[];
}

/**
 * A number. It is drawn on a line on which its distribution is uniform or normal: of the number itself, or
 * of its natural logarithm.
 */
export interface Span {
  readonly kind: 'span';
  readonly scale: 'linear' | 'log';
  /** The ends of the line, in its own unit: logarithms on a `log` scale. Far out for a normal. */
  readonly low: number;
  readonly high: number;
  /** Of the line; null where it is uniform between its ends. */
  readonly normal: { readonly mu: number; readonly sigma: number } | null;
  /** The number is a multiple of this; null where it may be any. */
  readonly quantum: number | null;
  /** Whole numbers, each as likely as the others, both ends included. */
  readonly whole: boolean;
}

export type Dimension = Choice | Span;

export interface Parameter {
  /** A field of the config such as `optimizer.learning_rate`, or `preset`, `method`, `published`. */
  readonly path: string;
  readonly dimension: Dimension;
}

/** The values of a trial by their parameters' paths. */
export type Values = Readonly<Record<string, Value>>;

/** One value at random, as the distribution has it. */
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

/** The number at a place of the line. */
export function spanValue({ scale, low, high, quantum, whole }: Span, place: number): number {
  if (whole) return Math.min(high, Math.max(low, Math.round(place)));
  const value = scale === 'log' ? Math.exp(place) : place;
  if (quantum === null) return value;
  // A multiple such as 3 · 0.1 is written 0.3, not 0.30000000000000004.
  return Number((Math.round(value / quantum) * quantum).toPrecision(12));
}

/** The place of a number on the line; what lies beyond an end is put there. */
export function spanPlace({ scale, low, high }: Span, value: number): number {
  const place = scale === 'log' ? Math.log(value) : value;
  return Math.min(high, Math.max(low, place));
}

/** How far apart neighbouring numbers lie on the line; 0 where there are no neighbours. */
export function spanStep({ scale, quantum, whole }: Span): number {
  if (whole) return 1;
  return scale === 'linear' ? (quantum ?? 0) : 0;
}

/** All values in order; null where there is no end to them, so that no grid can be made. */
export function gridValues(dimension: Dimension): readonly Value[] | null {
  if (dimension.kind === 'choice') return dimension.values;
  const { low, high, quantum, whole, scale, normal } = dimension;
  if (normal !== null || scale === 'log') return null;
  const step = whole ? 1 : quantum;
  if (step === null) return null;
  const first = Math.round(low / step);
  const last = Math.round(high / step);
  return Array.from({ length: last - first + 1 }, (_, at) =>
    spanValue(dimension, (first + at) * step),
  );
}

/** The place of a value in the list of a choice; −1 where it is not there. */
export function choiceIndex({ values }: Choice, value: Value): number {
  const text = JSON.stringify(value);
  return values.findIndex((known) => JSON.stringify(known) === text);
}

/** Whether a parameter has one value only, so that there is nothing to search. */
export function isFixed({ dimension }: Parameter): boolean {
  return dimension.kind === 'choice'
    ? dimension.values.length === 1
    : dimension.low === dimension.high;
}
