import { create } from 'zustand';
import type { BesideRun } from '../beside/run.ts';

/** Two agents that train at the same time: the present run, and the one beside it. */
export interface PlayingTwins {
  readonly names: readonly [first: string, second: string];
  /** The first one's. */
  readonly runId: string;
  readonly beside: BesideRun;
}

export const useTwins = create<{ readonly playing: PlayingTwins | null }>()(() => ({
  playing: null,
}));
