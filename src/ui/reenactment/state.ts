/** The failure that is being re-enacted: the present run fails on purpose, and a cured one trains beside it. */

import { create } from 'zustand';
import type { ModeName } from '../../runs/mode-names.ts';
import type { Row } from '../../runs/row.ts';

/** The run with the remedy, which has a worker of its own and is forgotten with the page. */
export interface BesideRun {
  readonly rows: readonly Row[];
  readonly status: 'starting' | 'running' | 'finished' | 'failed';
  /** Why it could not be trained, in a sentence or two. */
  readonly problem: string | null;
}

export interface Reenactment {
  readonly mode: ModeName;
  /** The preset's title. */
  readonly preset: string;
  /** What fails on purpose. */
  readonly runId: string;
  /** What makes it fail, and what the remedy changes. */
  readonly cause: string;
  readonly cure: string;
  /** What is re-enacted: the name of a log or of a run. */
  readonly of: string;
  readonly beside: BesideRun;
}

export const useReenactment = create<{ readonly playing: Reenactment | null }>()(() => ({
  playing: null,
}));
