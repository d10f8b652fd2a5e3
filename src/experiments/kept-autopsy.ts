/** What the forks of a run that was made to fail showed, as it is kept with the run. */

import type { ModeName } from '../runs/mode-names.ts';

/** A fork, or the result of its cure. */
export interface KeptFork {
  /** Mean success over the last quarter of its iterations. */
  readonly success: number;
  /** Of greedy play at its end; null where it did not get there. */
  readonly greedy: number | null;
}

/**
 * Result of the forks with a cure: they recover, or do better than the unchanged run but far worse
 * than with another cure, or fail like it, or the seeds disagree.
 */
export const fates = ['lives', 'helps', 'fails', 'open'] as const;
export type Fate = (typeof fates)[number];

export interface KeptCure extends KeptFork {
  readonly name: string;
  /** The mode that it cures; null for a fresh optimizer, which is tried of each. */
  readonly mode: ModeName | null;
  readonly fate: Fate;
}

export interface KeptAutopsy {
  /** What was made to be the cause. */
  readonly provoked: ModeName;
  /** What diagnosis named first, and when it began; null where it found nothing, so that nothing was played. */
  readonly found: {
    readonly mode: ModeName;
    readonly onset: number;
    readonly known: number;
  } | null;
  readonly forks: {
    /** The last iteration that all share, and their last. */
    readonly after: number;
    readonly to: number;
    readonly asItWas: KeptFork;
    readonly cures: readonly KeptCure[];
    /** That were played, of all forks and of what they share. */
    readonly iterations: number;
    readonly seconds: number;
  } | null;
}
