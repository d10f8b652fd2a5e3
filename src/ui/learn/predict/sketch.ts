/** A predicted success curve: shares at equal distances from the first iteration to the last. */

import type { Config } from '../../../config/schema.ts';
import { percent } from '../../../runs/numbers.ts';
import type { Row } from '../../../runs/row.ts';
import { expectedIterations } from '../../../runs/run-length.ts';

/** Points of the curve, including both ends. */
export const POINTS = 11;
/** Change of a point for each press of an arrow key. */
export const STEP = 0.05;

/** (POINTS) shares from 0 to 1. */
export type Sketch = readonly number[];

export const flat: Sketch = Array.from({ length: POINTS }, () => 0.5);

/**
 * Typical length, in iterations, of presets that stop at a success rate.
 * `npm run train -- --preset maze` stops after 30, 30 and 35 with seeds 1 to 3.
 */
const typicalIterations: Readonly<Record<string, number>> = { maze: 32 };

/** The likely length of a run that has not started, in iterations. */
export function sketchedIterations(config: Config, preset: string): number {
  const limit = expectedIterations(config, []);
  const measured = typicalIterations[preset];
  return config.stopping.success === 0 || measured === undefined
    ? limit
    : Math.min(limit, measured);
}

/** The iteration of a point, for a run of `total` iterations. */
export function iterationOf(point: number, total: number): number {
  return Math.max(1, Math.round((point / (POINTS - 1)) * total));
}

/** Moves one point, clamped to [0, 1]. */
export function withPoint(sketch: Sketch, point: number, share: number): Sketch {
  return sketch.with(point, Math.min(1, Math.max(0, share)));
}

/** Moves all points under a stroke. Coordinates are shares of the drawing area. */
export function withStroke(
  sketch: Sketch,
  from: { readonly x: number; readonly y: number },
  to: { readonly x: number; readonly y: number },
): Sketch {
  const place = (x: number) => Math.min(1, Math.max(0, x)) * (POINTS - 1);
  const [a, b] = from.x <= to.x ? [from, to] : [to, from];
  const nearest = Math.round(place(to.x));
  return sketch.map((share, point) => {
    const x = point / (POINTS - 1);
    if (point === nearest) return Math.min(1, Math.max(0, to.y));
    if (x < a.x || x > b.x) return share;
    const y = a.x === b.x ? to.y : a.y + ((x - a.x) / (b.x - a.x)) * (b.y - a.y);
    return Math.min(1, Math.max(0, y));
  });
}

/** The drawn value at an iteration, interpolated linearly. */
export function sketchAt(sketch: Sketch, iteration: number, total: number): number {
  const place = Math.min(1, iteration / total) * (POINTS - 1);
  const left = Math.min(POINTS - 2, Math.floor(place));
  const [a = 0, b = 0] = [sketch[left], sketch[left + 1]];
  return a + (place - left) * (b - a);
}

/** Iterations averaged for the comparison. */
const WINDOW = 5;

/** Compares the sketch with the run so far, in one sentence; null while there is too little data. */
export function verdict(sketch: Sketch, rows: readonly Row[], total: number): string | null {
  const played = rows.flatMap(({ iteration, metrics }) => {
    const share = metrics['rollout/success_rate'];
    return share === undefined ? [] : [{ iteration, share }];
  });
  const last = played.at(-1);
  if (last === undefined || played.length < WINDOW) return null;
  const off =
    played.reduce(
      (sum, { iteration, share }) => sum + Math.abs(sketchAt(sketch, iteration, total) - share),
      0,
    ) / played.length;
  const recent = played.slice(-WINDOW);
  const now = recent.reduce((sum, { share }) => sum + share, 0) / WINDOW;
  const drawn = sketchAt(sketch, last.iteration, total);
  const lead = `For iteration ${last.iteration} you drew ${percent(drawn)}; the run solves ${percent(now)}.`;
  const points = Math.round(100 * off);
  return points === 1
    ? `${lead} So far you are 1 point off on average.`
    : `${lead} So far you are ${points} points off on average.`;
}
