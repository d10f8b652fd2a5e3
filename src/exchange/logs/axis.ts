/** The x axis of a log: its series and unit. */

import { type LogTool, steps } from './counterparts.ts';
import { LogError, shown } from './error.ts';
import type { Points } from './gathered.ts';

export interface LogAxis {
  /** The series it was taken from; null for the log's own step. */
  readonly key: string | null;
  /** Its unit, such as `environment steps`. */
  readonly unit: string;
  /** Whether it counts iterations, so that the log can be overlaid on a run of this project. */
  readonly iterations: boolean;
}

/** Series of a table that can serve as the x axis, best first, with their units. */
const candidates: readonly (readonly [key: string, unit: string])[] = [
  ['iteration', 'iterations'],
  ['training_iteration', 'iterations'],
  ['training/global_step', 'iterations'],
  ['time/total_timesteps', 'environment steps'],
  ['num_env_steps_sampled_lifetime', 'environment steps'],
  ['timesteps_total', 'environment steps'],
  ['train/global_step', 'optimizer steps'],
  ['trainer/global_step', 'optimizer steps'],
  ['global_step', 'steps'],
  ['step', 'steps'],
  ['Step', 'steps'],
  ['_step', 'logged rows'],
  ['epoch', 'epochs'],
];

const units = new Map(candidates);

/** The unit of a chosen column, by its name. */
export function unitOf(key: string, tool: LogTool): string {
  const unit = units.get(key);
  return unit === undefined || unit === 'steps' ? stepUnit(key, tool) : unit;
}

const stepUnit = (key: string, tool: LogTool) =>
  units.has(key) && tool !== 'unknown' ? steps[tool] : key.slice(0, 60);

export const axisOf = (key: string | null, unit: string): LogAxis => ({
  key,
  unit,
  iterations: unit === 'iterations',
});

/** Whether all values are finite and never decrease, so that they can measure progress. */
function rises(y: Float64Array): boolean {
  for (let i = 0; i < y.length; i++) {
    if (!Number.isFinite(y[i])) return false;
    if (i > 0 && (y[i] ?? 0) < (y[i - 1] ?? 0)) return false;
  }
  return y.length > 0;
}

/** The series of a table that serves as its x axis; null if none fits. */
export function chooseAxis(series: ReadonlyMap<string, Points>, rows: number): string | null {
  for (const [key] of candidates) {
    const points = series.get(key);
    // Rows without the series get no position: one logged only at evaluations would lose most rows.
    if (points !== undefined && 2 * points.y.length >= rows && rises(points.y)) return key;
  }
  return null;
}

/**
 * The other series with the chosen one as their x axis. Measurements logged without it have no
 * position on this axis and are left out.
 *
 * @returns the series and the number of dropped measurements
 * @throws {LogError} for a series that does not exist or decreases
 */
export function over(
  series: ReadonlyMap<string, Points>,
  key: string,
): { readonly series: Map<string, Points>; readonly lost: number } {
  const axis = series.get(key);
  if (axis === undefined) throw new LogError(`has no numeric column ${shown(key)}`);
  const placed = new Map<string, Points>();
  let lost = 0;
  for (const [name, points] of series) {
    if (name === key) continue;
    const x = new Float64Array(points.x.length);
    const y = new Float64Array(points.x.length);
    let length = 0;
    let at = 0;
    for (let i = 0; i < points.x.length; i++) {
      const row = points.x[i] ?? 0;
      while (at < axis.x.length && (axis.x[at] ?? 0) < row) at++;
      const place = axis.x[at] === row ? (axis.y[at] ?? Number.NaN) : Number.NaN;
      if (Number.isFinite(place)) {
        x[length] = place;
        y[length] = points.y[i] ?? Number.NaN;
        length++;
      } else lost++;
    }
    placed.set(name, inOrder({ x: x.slice(0, length), y: y.slice(0, length) }));
  }
  return { series: placed, lost };
}

/** By ascending x; equal values keep their order. */
export function inOrder(points: Points): Points {
  const { x, y } = points;
  if (rises(x)) return points;
  const order = Uint32Array.from(x, (_, i) => i).sort((a, b) => (x[a] ?? 0) - (x[b] ?? 0) || a - b);
  return {
    x: Float64Array.from(order, (i) => x[i] ?? 0),
    y: Float64Array.from(order, (i) => y[i] ?? 0),
  };
}
