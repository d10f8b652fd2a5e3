import type { EnvironmentResult, IterationDetails } from './details.ts';
import type { MetricRow } from './metrics.ts';

/** One finished iteration, in the one form that it has from the trainer to files and charts. */
export interface Row {
  /** Counts from 1. */
  readonly iteration: number;
  readonly metrics: MetricRow;
  readonly details: IterationDetails;
  /** Wall clock, its evaluation included. */
  readonly milliseconds: number;
  readonly evaluation?: {
    readonly metrics: MetricRow;
    /** In a mixture: the results of each environment. */
    readonly environments?: readonly EnvironmentResult[];
  };
  /** What computed it, as the device calls itself; absent in rows from before this was kept. */
  readonly device?: string;
  /**
   * The GPU was lost before it, and the run resumed after the previous iteration with another one.
   */
  readonly gpuLost?: true;
}
