import type { EnvironmentResult, IterationDetails } from './details.ts';
import type { MetricRow } from './metrics.ts';

/** One finished iteration. Trainer, files and charts all use this form. */
export interface Row {
  /** Counts from 1. */
  readonly iteration: number;
  readonly metrics: MetricRow;
  readonly details: IterationDetails;
  /** Wall-clock time, including the evaluation. */
  readonly milliseconds: number;
  readonly evaluation?: {
    readonly metrics: MetricRow;
    /** Mixtures only: the results of each environment. */
    readonly environments?: readonly EnvironmentResult[];
  };
  /** Name of the device that computed it; absent in older rows. */
  readonly device?: string;
  /**
   * Set if the GPU was lost during this iteration, which was then recomputed on another GPU from a
   * checkpoint.
   */
  readonly gpuLost?: true;
}
