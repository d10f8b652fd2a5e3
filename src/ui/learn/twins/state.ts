import { create } from 'zustand';
import type { BesideRun } from '../../charts/beside/run.ts';
import type { AddressedRun } from '../../shell/address/address.ts';

/** Two agents that train in parallel: the current run and a second one. */
export interface PlayingTwins {
  readonly names: readonly [first: string, second: string];
  /** Id of the first run. */
  readonly runId: string;
  readonly beside: BesideRun;
  /** What an address needs to start the same comparison. */
  readonly compare: string;
  readonly base: AddressedRun;
}

/** Curve colors of the two agents. */
export const agentColors = ['var(--p-run-1)', 'var(--p-run-2)'] as const;

export const useTwins = create<{ readonly playing: PlayingTwins | null }>()(() => ({
  playing: null,
}));
