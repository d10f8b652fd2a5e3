/** Axes: where a value lies between two ends, linear or logarithmic, which values are marked, and paths along them. */

import type { Points } from './points.ts';

export type ScaleKind = 'linear' | 'log';

export interface Scale {
  readonly kind: ScaleKind;
  readonly from: number;
  readonly to: number;
}

/** Share of the way from the scale's start to its end; NaN where a log axis has no place for it. */
export function shareOf({ kind, from, to }: Scale, value: number): number {
  return kind === 'linear'
    ? (value - from) / (to - from)
    : Math.log(value / from) / Math.log(to / from);
}

/** The value at a share of the way. */
export function valueAtShare({ kind, from, to }: Scale, share: number): number {
  return kind === 'linear' ? from + share * (to - from) : from * (to / from) ** share;
}

/** A value held at a place, in pixels from the start of an axis. */
export interface Held {
  readonly place: number;
  readonly value: number;
}

/** Fingers closer together than this say nothing of a scale, in pixels. */
const LEAST_SPREAD_PX = 16;

/** The axis of so many pixels on which two values lie where they are held; null where there is none. */
export function scaleThrough(kind: ScaleKind, width: number, held: readonly Held[]): Scale | null {
  const [left, right] = [...held].sort((a, b) => a.place - b.place);
  if (left === undefined || right === undefined) return null;
  const spread = right.place - left.place;
  if (spread < LEAST_SPREAD_PX || !(right.value > left.value)) return null;
  const between: Scale = { kind, from: left.value, to: right.value };
  const at = (place: number) => valueAtShare(between, (place - left.place) / spread);
  return { kind, from: at(0), to: at(width) };
}

/** A part of the axis narrower than this share of its largest number has no marks to tell places apart. */
const LEAST_SPAN = 1e-8;

/**
 * The part of an axis that shows the values between two others: within the whole axis, and no narrower
 * than marks can tell apart, so that zooming in comes to an end. Null where that is all of it.
 */
export function partOf(whole: Scale, from: number, to: number): Scale | null {
  const { kind } = whole;
  if (!(to > from) || (from <= whole.from && to >= whole.to)) return null;
  const middle = Math.min(whole.to, Math.max(whole.from, from + (to - from) / 2));
  // A log axis tells small numbers apart as well as large ones.
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
 * The round number 1, 2 or 5 times a power of ten that is `rough` or the next above it; `rough` itself
 * where numbers have no such neighbour, at the far ends of what they can be.
 */
export function roundStep(rough: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  if (!(magnitude > 0 && magnitude < Infinity)) return rough;
  // A little slack: 0.1 + 0.2 is to count as 0.3.
  const factor = [1, 2, 5, 10].find((size) => size * magnitude >= rough * (1 - 1e-9)) ?? 10;
  return factor * magnitude;
}

/** As many marks as an axis can have, however its ends and its step came about. */
const MOST_TICKS = 200;
/** Multiples of a step from here on run into each other when they are written as numbers. */
const LARGEST_MULTIPLE = 1e13;

/**
 * Multiples of a step within two ends, free of the noise that repeated addition brings. Where the step
 * is too fine to count in, the two ends.
 */
function multiples(step: number, from: number, to: number): number[] {
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  const countable = Math.max(Math.abs(first), Math.abs(last)) <= LARGEST_MULTIPLE;
  // Written so that what is no number fails too.
  if (!(countable && last - first < MOST_TICKS)) return [from, to];
  const ticks: number[] = [];
  for (let index = first; index <= last; index++) {
    // Adding 0 makes −0 a 0.
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
  // On less than a decade a log axis is nearly a linear one, and marked as such.
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

/** Widens two ends to round numbers, so that an axis moves seldom while its data grow. */
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

/** Seconds that clocks are marked at. */
const clockSteps = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
];

/** Ticks of an axis of seconds: whole minutes and hours where the axis is that long. */
export function clockTicks(scale: Scale, count: number): number[] {
  const rough = (scale.to - scale.from) / count;
  const step = clockSteps.find((size) => size >= rough);
  if (scale.kind === 'log' || rough < 1 || step === undefined) return ticksOf(scale, count);
  return multiples(step, scale.from, scale.to);
}

/** Beyond the plot, where it is cut off anyway; paths take no larger numbers. */
export const FAR = 1e5;

/** Pixels, as finely as a path needs them. */
export const tenth = (value: number) => Math.round(10 * Math.max(-FAR, Math.min(FAR, value))) / 10;

export type Place = (value: number) => number;

/**
 * An SVG path through these points; it breaks where a log axis has no place for a value.
 *
 * @param xOf pixels of an abscissa
 * @param yOf pixels of a value
 * @param hold whether a value lasts until the next one
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
