/** Runs as they lie over the charts of others: a log's mapped series, or the rows of a run. */

import type { ShownLog } from '../../exchange/logs/shown-log.ts';
import type { MetricKey } from '../../runs/metrics.ts';
import type { Row } from '../../runs/row.ts';
import { type ForeignRun, type ForeignSeries, finite } from '../charts/foreign.ts';

export function foreignOfLog({ entry, series }: ShownLog): ForeignRun {
  const known = new Map<MetricKey, ForeignSeries>();
  for (const { metric, x, y } of series) if (metric !== null) known.set(metric, finite(x, y));
  return { name: entry.name, unit: entry.axis.unit, series: known, spans: entry.spans };
}

/** @param began iterations between which its finding began */
export function foreignOfRows(
  name: string,
  rows: readonly Row[],
  [at, to]: readonly [from: number, to: number],
): ForeignRun {
  const x = Float64Array.from(rows, ({ iteration }) => iteration);
  const keys = new Set(rows.flatMap(({ metrics }) => Object.keys(metrics) as MetricKey[]));
  const series = [...keys].map((key) => {
    const y = Float64Array.from(rows, ({ metrics }) => metrics[key] ?? Number.NaN);
    return [key, finite(x, y)] as const;
  });
  return { name, unit: 'iterations', series: new Map(series), spans: [{ at, to }] };
}
