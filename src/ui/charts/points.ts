/** A metric over a whole run as arrays for drawing. */

import type { MetricKey } from '../../runs/metrics.ts';
import type { Row } from '../../runs/row.ts';

/** By ascending x, all finite. */
export interface Points {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** Without non-finite values. */
export function finite(x: Float64Array, y: Float64Array): Points {
  if (y.every(Number.isFinite)) return { x, y };
  return {
    x: x.filter((_, i) => Number.isFinite(y[i])),
    y: y.filter(Number.isFinite),
  };
}

/** The iterations in which it was measured. */
export function pointsOf(key: MetricKey, rows: readonly Row[]): Points {
  return finite(
    Float64Array.from(rows, ({ iteration }) => iteration),
    Float64Array.from(rows, ({ metrics }) => metrics[key] ?? Number.NaN),
  );
}
