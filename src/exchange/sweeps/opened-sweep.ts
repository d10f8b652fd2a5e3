/** An opened sweep as plain data, without the rows of its runs, which are read on demand. */
import type { Config } from '../../config/schema.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import type { Sweep } from '../../sweep/file.ts';
import type { SweepSummary } from '../../sweep/summary.ts';
import type { ReadRecord } from './schema.ts';

export interface OpenedSweep {
  readonly sweep: Sweep;
  readonly summary: SweepSummary;
  /** Finished runs by name. */
  readonly runs: ReadonlyMap<string, OpenedRun>;
  /** What was skipped and why, one sentence each. */
  readonly notes: readonly string[];
}

export type OpenedRun = Pick<
  ReadRecord,
  'run' | 'trial' | 'seed' | 'outcome' | 'reason' | 'value'
> & {
  readonly iterations: number;
  readonly turns: number;
  /** Path of its record among the files or in the zip. */
  readonly path: string;
  /** Whether it has at least one iteration. */
  readonly drawable: boolean;
};

/** A run of a sweep with its rows and config. */
export interface SweepRun {
  readonly run: string;
  readonly preset: string;
  readonly config: Config;
  /** One sentence per setting that this version does not support. */
  readonly replaced: readonly string[];
  readonly rows: readonly MetricRow[];
}
