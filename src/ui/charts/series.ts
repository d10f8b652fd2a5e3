import type { MetricKey } from '../../runs/metrics.ts';
import type { Row } from '../../runs/row.ts';
import type { Shape } from './marker.tsx';

/**
 * `points` marks the iterations that have a value, `joined` joins them with a line; `steps` holds a
 * value until it changes; `thin` is a line that stays behind the others.
 */
export type Mark = 'line' | 'thin' | 'dashed' | 'points' | 'joined' | 'steps';

/** One curve, or one set of points. */
export interface Series {
  /** Unique within the chart. */
  readonly name: string;
  readonly read: (row: Row) => number | undefined;
  /** What it reads, where that is one metric. */
  readonly metric?: MetricKey;
  /** Smallest and largest value within an iteration, drawn as a band behind the curve. */
  readonly band?: (row: Row) => readonly [min: number, max: number] | undefined;
  /** A CSS colour, for instance `var(--p-terracotta)`. */
  readonly colour: string;
  readonly mark?: Mark;
  /** Of its points; a circle where left out. */
  readonly shape?: Shape;
  /** Whether it stands at the head of the chart with its newest value; so it does where left out. */
  readonly inLegend?: boolean;
}

/** A metric as a curve. */
export function ofMetric(
  key: MetricKey,
  name: string,
  colour: string,
  mark: Mark = 'line',
): Series {
  return { name, colour, mark, metric: key, read: (row) => row.metrics[key] };
}

/** A value that a curve is to be read against. */
export interface Level {
  readonly value: number;
  /** Written beside the line: below it, or above it where that is asked for. */
  readonly name?: string;
  readonly above?: boolean;
}
