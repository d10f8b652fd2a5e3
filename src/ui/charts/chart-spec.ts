import type { Config } from '../../config/schema.ts';
import type { Rule } from '../../diagnosis/evidence.ts';
import type { MetricKey } from '../../runs/metrics.ts';
import type { Row } from '../../runs/row.ts';
import type { ChartEvidence } from './chart-data.ts';
import type { ScaleKind } from './scale.ts';
import type { Level, Series } from './series.ts';

/** A constant, or a value computed from the run. */
export type FromRun<T> = T | ((evidence: ChartEvidence) => T);

/** What distinguishes one chart from another. */
export interface ChartSpec {
  /** Stable name for tests, settings and files. */
  readonly testId: string;
  readonly title: string;
  /** Shorter title for a small chart. */
  readonly compactTitle?: string;
  /** What the number means. */
  readonly meaning: FromRun<string>;
  /** Explains why the values are changing; null for a chart without an explanation. */
  readonly why: Rule | null;
  /** Shown while `why` returns null. */
  readonly waiting?: (config: Config) => string;
  /** A function must return the same objects until its inputs change. */
  readonly series: FromRun<readonly Series[]>;
  /** Whether the run has anything to show; every run if absent. */
  readonly when?: (rows: readonly Row[]) => boolean;
  /** Further metrics that the chart shows, such as the sum of its series. */
  readonly shows?: readonly MetricKey[];
  readonly format: (value: number | undefined) => string;
  readonly unit?: string;
  /** Ends of the y axis; `auto` follows the data. Defaults to 0 and `auto`. */
  readonly domain?: readonly [number | 'auto', number | 'auto'];
  /** Range the y axis always covers. */
  readonly atLeast?: readonly [number, number];
  readonly levels?: FromRun<readonly Level[]>;
  /** Initial scale of the y axis. */
  readonly scale?: ScaleKind;
  /** Label each phase line with the new limit. */
  readonly namePhases?: boolean;
  /** Pixels. */
  readonly height: number;
  readonly large?: boolean;
}
