/** A sweep as a page shows it: plain data, without the rows of its runs, which are read when they are drawn. */
import type { Config } from '../../config/schema.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import type { Sweep } from '../../sweep/file.ts';
import type { SweepSummary } from '../../sweep/summary.ts';
import type { ReadRecord } from './schema.ts';

export interface OpenedSweep {
  readonly sweep: Sweep;
  readonly summary: SweepSummary;
  /** Runs that have ended, by their names. */
  readonly runs: ReadonlyMap<string, OpenedRun>;
  /** What was left out and why, a sentence each. */
  readonly notes: readonly string[];
}

export type OpenedRun = Pick<
  ReadRecord,
  'run' | 'trial' | 'seed' | 'outcome' | 'reason' | 'value'
> & {
  readonly iterations: number;
  readonly turns: number;
  /** Where its record stands among the files, or in the zip. */
  readonly path: string;
  /** It came to an iteration, so that there is something to draw. */
  readonly drawable: boolean;
};

/** A run of a sweep with its iterations, and what it was trained with. */
export interface SweepRun {
  readonly run: string;
  readonly preset: string;
  readonly config: Config;
  /** One sentence for each setting that this version does not have. */
  readonly replaced: readonly string[];
  readonly rows: readonly MetricRow[];
}
