/**
 * The re-enacted failure: the current run fails on purpose, and a run with the remedy trains in
 * parallel.
 */

import { create } from 'zustand';
import type { ModeName } from '../../../runs/mode-names.ts';
import type { BesideRun } from '../beside/run.ts';

export interface Reenactment {
  readonly mode: ModeName;
  /** The preset's title. */
  readonly preset: string;
  /** The failing run. */
  readonly runId: string;
  /** What causes the failure, and what the remedy changes. */
  readonly cause: string;
  readonly cure: string;
  /** The original: the name of a log or of a run. */
  readonly of: string;
  /** The run with the remedy. */
  readonly beside: BesideRun;
}

export const useReenactment = create<{ readonly playing: Reenactment | null }>()(() => ({
  playing: null,
}));
