import type { Diagnosed } from './kept-diagnosis.ts';
import type { ExperimentRun } from './run.ts';

/** Why a kept run is stale; null if the current code would give the same numbers. */
export type Staleness = 'code' | 'settings' | null;

/** A run that was read from its file. */
export interface KeptRun extends ExperimentRun {
  readonly stale: Staleness;
  /**
   * The diagnosis of the kept rows by the current rules; absent if the experiment has no diagnosis.
   */
  readonly diagnosed?: Diagnosed;
}

/** Marks results of runs made by an earlier version of the code. */
export const STALE_MARK = '†';

/** Explains the mark, one sentence per reason. */
export function staleNote(runs: readonly KeptRun[]): string {
  const old = runs.filter(({ stale }) => stale !== null);
  if (old.length === 0) return '';
  const settings = old.some(({ stale }) => stale === 'settings')
    ? ' or with settings that differ from the experiment’s current ones'
    : '';
  return `${STALE_MARK} stale: made by an earlier version of the code${settings}; rerunning may give different numbers.`;
}

/** ` †` if any of the runs is stale. */
export function staleMark(runs: readonly KeptRun[]): string {
  return runs.some(({ stale }) => stale !== null) ? ` ${STALE_MARK}` : '';
}
