/**
 * Axes: the position of a value between two ends (linear or logarithmic), tick values, and paths.
 */

import type { Points } from './points.ts';

export type ScaleKind = 'linear' | 'log';

export interface Scale {
  readonly kind: ScaleKind;
  readonly from: number;
  readonly to: number;
}

/** Fraction of the way from the scale's start to its end; NaN for a value that a log axis cannot show. */
export function shareOf({ kind, from, to }: Scale, value: number): number {
  return kind === 'linear'
    ? (value - from) / (to - from)
    : Math.log(value / from) / Math.log(to / from);
}

/** The value at a fraction of the way. */
export function valueAtShare({ kind, from, to }: Scale, share: number): number {
  return kind === 'linear' ? from + share * (to - from) : from * (to / from) ** share;
}

/** A value at a position, in pixels from the start of an axis. */
export interface Held {
  readonly place: number;
  readonly value: number;
}

/** Minimum distance of two fingers for zooming, in pixels. */
const LEAST_SPREAD_PX = 16;

/** The axis of a given length on which two values are at given positions; null if there is none. */
export function scaleThrough(kind: ScaleKind, width: number, held: readonly Held[]): Scale | null {
  const [left, right] = [...held].sort((a, b) => a.place - b.place);
  if (left === undefined || right === undefined) return null;
  const spread = right.place - left.place;
  if (spread < LEAST_SPREAD_PX || !(right.value > left.value)) return null;
  const between: Scale = { kind, from: left.value, to: right.value };
  const at = (place: number) => valueAtShare(between, (place - left.place) / spread);
  return { kind, from: at(0), to: at(width) };
}

/**
 * Minimum width of a zoomed range, relative to the largest number on the axis; narrower ranges lack distinct
 * ticks.
 */
const LEAST_SPAN = 1e-8;

/**
 * The part of an axis between two values: within the whole axis, and no narrower than ticks can
 * distinguish, so that zooming in has a limit. Null if that is the whole axis.
 */
export function partOf(whole: Scale, from: number, to: number): Scale | null {
  const { kind } = whole;
  if (!(to > from) || (from <= whole.from && to >= whole.to)) return null;
  const middle = Math.min(whole.to, Math.max(whole.from, from + (to - from) / 2));
  // A log axis resolves small numbers as well as large ones.
  const largest = kind === 'log' ? middle : Math.max(Math.abs(whole.from), Math.abs(whole.to));
  const room = Math.max(to - from, LEAST_SPAN * largest) / 2;
  const part = {
    kind,
    from: Math.max(whole.from, Math.min(from, middle - room)),
    to: Math.min(whole.to, Math.max(to, middle + room)),
  };
  return part.to > part.from && (part.from > whole.from || part.to < whole.to) ? part : null;
}

/**
 * The smallest round number, 1, 2 or 5 times a power of ten, at or above `rough`; `rough` itself at
 * the limits of the number range.
 */
export function roundStep(rough: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  if (!(magnitude > 0 && magnitude < Infinity)) return rough;
  // Tolerance: 0.1 + 0.2 should count as 0.3.
  const factor = [1, 2, 5, 10].find((size) => size * magnitude >= rough * (1 - 1e-9)) ?? 10;
  return factor * magnitude;
}

/** Maximum number of ticks, for any ends and step. */
const MOST_TICKS = 200;
/** From here on, consecutive multiples of a step are equal when formatted. */
const LARGEST_MULTIPLE = 1e13;

/**
 * Multiples of a step between two ends, without the rounding errors of repeated addition. The two
 * ends if the step is too fine.
 */
function multiples(step: number, from: number, to: number): number[] {
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  const countable = Math.max(Math.abs(first), Math.abs(last)) <= LARGEST_MULTIPLE;
  // Written so that NaN fails too.
  if (!(countable && last - first < MOST_TICKS)) return [from, to];
  const ticks: number[] = [];
  for (let index = first; index <= last; index++) {
    // Adding 0 turns −0 into 0.
    ticks.push(Number((index * step).toPrecision(14)) + 0);
  }
  return ticks;
}

/** Round values on an axis, about `count` of them. */
export function ticksOf({ kind, from, to }: Scale, count: number): number[] {
  if (!(to > from)) return [from];
  if (kind === 'log' && !(from > 0 && to < Infinity)) return [from, to];
  if (kind === 'linear') return multiples(roundStep((to - from) / count), from, to);
  const decades = Math.log10(to / from);
  // On less than a decade a log axis is nearly linear and has linear ticks.
  if (decades < 0.7) return multiples(roundStep((to - from) / (count + 2)), from, to);
  const factors = decades * 3 <= count + 1 ? [1, 2, 5] : decades <= count + 1 ? [1] : null;
  const ticks: number[] = [];
  const stride = Math.max(1, Math.ceil(decades / count));
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to) + 1e-9; power++) {
    if (factors === null && power % stride !== 0) continue;
    for (const factor of factors ?? [1]) {
      const tick = Number(`${factor}e${power}`);
      if (tick >= from * (1 - 1e-9) && tick <= to * (1 + 1e-9)) ticks.push(tick);
    }
  }
  return ticks;
}

/** Extends two ends to round numbers, so that the axis seldom changes while data are added. */
export function roundEnds(kind: ScaleKind, from: number, to: number, count: number): Scale {
  if (kind === 'log') {
    const [low, high] = from === to ? [from / 2, to * 2] : [from, to];
    if (Math.log10(high / low) < 0.7) return { kind, from: low / 1.06, to: high * 1.06 };
    return { kind, from: 1 / roundStep(1 / low), to: roundStep(high) };
  }
  if (from === to) {
    const room = from === 0 ? 1 : Math.abs(from) / 2;
    return { kind, from: from - room, to: to + room };
  }
  const step = roundStep((to - from) / count);
  const countable = Math.max(Math.abs(from), Math.abs(to)) / step <= LARGEST_MULTIPLE;
  if (!countable) return { kind, from, to };
  return {
    kind,
    from: Math.floor(from / step + 1e-9) * step,
    to: Math.ceil(to / step - 1e-9) * step,
  };
}

/** Tick steps in seconds. */
const clockSteps = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
];

/** Ticks of an axis in seconds: whole minutes and hours on a long axis. */
export function clockTicks(scale: Scale, count: number): number[] {
  const rough = (scale.to - scale.from) / count;
  const step = clockSteps.find((size) => size >= rough);
  if (scale.kind === 'log' || rough < 1 || step === undefined) return ticksOf(scale, count);
  return multiples(step, scale.from, scale.to);
}

/** Outside the plot, where paths are clipped anyway. */
export const FAR = 1e5;

/** Rounds pixels to tenths and clamps them to ±`FAR`. */
export const tenth = (value: number) => Math.round(10 * Math.max(-FAR, Math.min(FAR, value))) / 10;

export type Place = (value: number) => number;

/**
 * An SVG path through points, interrupted at values that a log axis cannot show.
 *
 * @param xOf pixel of an abscissa
 * @param yOf pixel of a value
 * @param hold whether a value holds until the next one
 */
export function pathThrough(
  { x, y }: Points,
  indices: readonly number[],
  xOf: Place,
  yOf: Place,
  hold = false,
): string {
  let text = '';
  let begun = false;
  for (const index of indices) {
    const left = xOf(x[index] ?? 0);
    const top = yOf(y[index] ?? 0);
    if (!Number.isFinite(left) || !Number.isFinite(top)) {
      begun = false;
    } else if (!begun) {
      text += `M${left} ${top}`;
      begun = true;
    } else {
      text += hold ? `H${left}V${top}` : `L${left} ${top}`;
    }
  }
  return text;
}
