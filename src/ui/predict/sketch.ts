/** A curve that somebody draws before the run does: shares at even distances from its first iteration to its last. */

import { percent } from '../../runs/numbers.ts';
import type { Row } from '../../runs/row.ts';

/** Points that are drawn, the ends included. */
export const POINTS = 11;
/** An arrow key moves a point by so much. */
export const STEP = 0.05;

/** (POINTS) shares from 0 to 1. */
export type Sketch = readonly number[];

export const flat: Sketch = Array.from({ length: POINTS }, () => 0.5);

/** The iteration of a point, of so many in all. */
export function iterationOf(point: number, total: number): number {
  return Math.max(1, Math.round((point / (POINTS - 1)) * total));
}

/** The sketch with a point moved, within its bounds. */
export function withPoint(sketch: Sketch, point: number, share: number): Sketch {
  return sketch.with(point, Math.min(1, Math.max(0, share)));
}

/** The sketch with all points moved that a stroke passes over, from one place to another, both in shares of the picture. */
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

/** What was drawn for an iteration, between the points along straight lines. */
export function sketchAt(sketch: Sketch, iteration: number, total: number): number {
  const place = Math.min(1, iteration / total) * (POINTS - 1);
  const left = Math.min(POINTS - 2, Math.floor(place));
  const [a = 0, b = 0] = [sketch[left], sketch[left + 1]];
  return a + (place - left) * (b - a);
}

/** Iterations whose mean success is compared, since a single one is noisy. */
const WINDOW = 5;

/** How far the sketch is from the run so far, in one sentence; null before there is anything to say. */
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
  const said = sketchAt(sketch, last.iteration, total);
  return `For iteration ${last.iteration} you drew ${percent(said)}; it solves ${percent(now)}. So far you are ${Math.round(100 * off)} points off on average.`;
}
