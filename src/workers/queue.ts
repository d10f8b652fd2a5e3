/** Distributes segments of runs to workers. */
import type { Segment } from '../sweep/plan.ts';

export interface Queue {
  /** Adds segments that it does not have yet. They are played roughly in the given order. */
  offer(segments: readonly Segment[]): Promise<void>;
  /** Number of processes at work; null if unknown. */
  readonly atWork: () => number | null;
  /** The latest reported iteration of each active run. */
  readonly iterations: () => ReadonlyMap<string, number>;
  /** Closes the queue. A local queue saves its running runs first. */
  close(): Promise<void>;
}
