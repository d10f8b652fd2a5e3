import type { Diagnosed } from './kept-diagnosis.ts';
import type { ExperimentRun } from './run.ts';

/** Why a kept run is old; null where the present code would give the same numbers. */
export type Staleness = 'code' | 'settings' | null;

/** A run from its file. */
export interface KeptRun extends ExperimentRun {
  readonly stale: Staleness;
  /** By the present rules, from the kept rows; absent where the experiment asks for no diagnosis. */
  readonly diagnosed?: Diagnosed;
}

/** The mark of what rests on runs made by an earlier version of the code. */
export const STALE_MARK = '†';

/** What the mark means, one sentence for each reason there is. */
export function staleNote(runs: readonly KeptRun[]): string {
  const old = runs.filter(({ stale }) => stale !== null);
  if (old.length === 0) return '';
  const settings = old.some(({ stale }) => stale === 'settings')
    ? ' or with other settings than the experiment has now'
    : '';
  return `${STALE_MARK} stale: made by an earlier version of the code${settings}; running it again may give other numbers.`;
}

/** ` †` where any of the runs is old. */
export function staleMark(runs: readonly KeptRun[]): string {
  return runs.some(({ stale }) => stale !== null) ? ` ${STALE_MARK}` : '';
}
