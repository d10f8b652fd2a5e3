import type { MetricKey } from '../../runs/metrics.ts';
import type { Row } from '../../runs/row.ts';
import type { Shape } from './marker.tsx';

/**
 * `points` marks the measured iterations, `joined` connects them with a line; `steps` holds a value
 * until it changes; `thin` is a line in the background.
 */
export type Mark = 'line' | 'thin' | 'dashed' | 'points' | 'joined' | 'steps';

/** One curve, or one set of points. */
export interface Series {
  /** Unique within the chart. */
  readonly name: string;
  readonly read: (row: Row) => number | undefined;
  /** The metric it reads, if it is a single one. */
  readonly metric?: MetricKey;
  /** Smallest and largest value within an iteration, drawn as a band behind the curve. */
  readonly band?: (row: Row) => readonly [min: number, max: number] | undefined;
  /** A CSS color, for instance `var(--p-terracotta)`. */
  readonly color: string;
  readonly mark?: Mark;
  /** Shape of its points; a circle by default. */
  readonly shape?: Shape;
  /** Whether the chart's header shows its newest value; true by default. */
  readonly inLegend?: boolean;
}

/** A metric as a curve. */
export function ofMetric(key: MetricKey, name: string, color: string, mark: Mark = 'line'): Series {
  return { name, color, mark, metric: key, read: (row) => row.metrics[key] };
}

/** A reference value. */
export interface Level {
  readonly value: number;
  /** Label position: below the line by default, or above it. */
  readonly name?: string;
  readonly above?: boolean;
}
