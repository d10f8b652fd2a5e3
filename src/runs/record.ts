import type { Config } from './config.ts';
import type { MetricRow } from './metrics.ts';

/** Where a run stands. */
export type RunStatus = 'running' | 'paused' | 'finished' | 'stopped' | 'failed';

/** Everything that is kept of a run. Plain data: it survives `structuredClone` and JSON. */
export interface RunRecord {
  readonly id: string;
  /** The complete config that the run was started with. */
  readonly config: Config;
  readonly status: RunStatus;
  /** One row per finished iteration, oldest first. */
  readonly iterations: readonly MetricRow[];
  /** Why a failed run failed. */
  readonly error?: { readonly name: string; readonly message: string };
}
