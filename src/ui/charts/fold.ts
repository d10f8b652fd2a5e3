import type { Curve } from './curve.ts';

/**
 * Folds the seeds of one config into their mean and a band from the lowest to the highest. The
 * result has the abscissae of all seeds; each seed is interpolated linearly between its points and
 * ignored before its first and after its last.
 *
 * @param curves at least one
 * @param hold whether a value holds until the next one, as for a horizon, instead of being
 * interpolated
 */
export function foldSeeds(curves: readonly Curve[], hold: boolean): Curve {
  const total = curves.reduce((sum, { length }) => sum + length, 0);
  const x = new Float64Array(total);
  const y = new Float64Array(total);
  const low = new Float64Array(total);
  const high = new Float64Array(total);
  const count = new Uint16Array(total);
  // Points of each curve at or before the current abscissa.
  const passed = new Int32Array(curves.length);
  let length = 0;
  let version = 0;
  for (const curve of curves) version += curve.version;
  for (;;) {
    let at = Number.POSITIVE_INFINITY;
    for (let seed = 0; seed < curves.length; seed++) {
      const curve = curves[seed];
      const next = passed[seed] ?? 0;
      if (curve !== undefined && next < curve.length) at = Math.min(at, curve.x[next] ?? at);
    }
    if (at === Number.POSITIVE_INFINITY) break;
    let sum = 0;
    let seeds = 0;
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (let seed = 0; seed < curves.length; seed++) {
      const curve = curves[seed];
      if (curve === undefined) continue;
      let next = passed[seed] ?? 0;
      while (next < curve.length && (curve.x[next] ?? 0) <= at) next += 1;
      passed[seed] = next;
      const value = valueAt(curve, next, at, hold);
      if (value === undefined) continue;
      sum += value;
      seeds += 1;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    x[length] = at;
    y[length] = sum / seeds;
    low[length] = least;
    high[length] = most;
    count[length] = seeds;
    length += 1;
  }
  return { x, y, low, high, count, length, version };
}

/** Interpolates between the points `next − 1` and `next` of a curve. */
function valueAt(
  { x, y, length }: Curve,
  next: number,
  at: number,
  hold: boolean,
): number | undefined {
  if (next === 0) return undefined;
  const before = x[next - 1] ?? 0;
  const value = y[next - 1] ?? 0;
  if (before === at) return value;
  if (next === length) return undefined;
  if (hold) return value;
  const share = (at - before) / ((x[next] ?? 0) - before);
  return value + share * ((y[next] ?? 0) - value);
}
