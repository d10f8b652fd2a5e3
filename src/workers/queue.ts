/** Distributes segments of runs to workers. */
import type { Segment } from '../sweep/plan.ts';

export interface Queue {
  /** Adds those that it does not have; it may take them in any order, the first ones first if it can. */
  offer(segments: readonly Segment[]): Promise<void>;
  /** How many processes are at work; null where nobody knows. */
  readonly atWork: () => number | null;
  /** Reported progress of active runs: their iterations. */
  readonly iterations: () => ReadonlyMap<string, number>;
  /** Stops the running trials and keeps what each has reached. */
  close(): Promise<void>;
}
