/** The autopsy of a run with an injected fault, as stored with the run. */

import type { ModeName } from '../runs/mode-names.ts';

/** The results of a fork. */
export interface KeptFork {
  /** Mean success over the last quarter of its iterations. */
  readonly success: number;
  /** Greedy success at its end; null if the fork did not reach its end. */
  readonly greedy: number | null;
}

/**
 * Result of the forks with a remedy: they recover, do better than the unchanged run but much worse
 * than the best remedy, fail like the unchanged run, or the seeds disagree.
 */
export const fates = ['lives', 'helps', 'fails', 'open'] as const;
export type Fate = (typeof fates)[number];

export interface KeptCure extends KeptFork {
  readonly name: string;
  /**
   * The failure mode that it remedies; null for a fresh optimizer, which is tried for every mode.
   */
  readonly mode: ModeName | null;
  readonly fate: Fate;
}

export interface KeptAutopsy {
  /** The injected failure mode. */
  readonly provoked: ModeName;
  /** The first finding with its onset; null if there was none, and then no forks were played. */
  readonly found: {
    readonly mode: ModeName;
    readonly onset: number;
    readonly known: number;
  } | null;
  readonly forks: {
    /** The last iteration before the forks, and the last iteration of each fork. */
    readonly after: number;
    readonly to: number;
    readonly asItWas: KeptFork;
    readonly cures: readonly KeptCure[];
    /** Number of iterations computed, including the shared ones. */
    readonly iterations: number;
    readonly seconds: number;
  } | null;
}
