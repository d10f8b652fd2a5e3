/** Converts a log's mapped series, or a run's rows, to an overlay on the charts of another run. */

import type { ShownLog } from '../../../exchange/logs/shown-log.ts';
import type { MetricKey } from '../../../runs/metrics.ts';
import type { Row } from '../../../runs/row.ts';
import type { ForeignRun } from '../foreign.ts';
import { finite, type Points, pointsOf } from '../points.ts';

export function foreignOfLog({ entry, series }: ShownLog): ForeignRun {
  const known = new Map<MetricKey, Points>();
  for (const { metric, x, y } of series) if (metric !== null) known.set(metric, finite(x, y));
  return { name: entry.name, unit: entry.axis.unit, series: known, spans: entry.spans };
}

/** @param began interval of iterations in which the run's finding began */
export function foreignOfRows(
  name: string,
  rows: readonly Row[],
  [at, to]: readonly [from: number, to: number],
): ForeignRun {
  const keys = new Set(rows.flatMap(({ metrics }) => Object.keys(metrics) as MetricKey[]));
  const series = new Map([...keys].map((key) => [key, pointsOf(key, rows)] as const));
  return { name, unit: 'iterations', series, spans: [{ at, to }] };
}
