/** The episode list as data: contents of a row, filters, sorting. */

import type { ImportedTrajectory } from '../../../exchange/trajectories/trajectory-import.ts';
import type { EpisodeSummary } from '../../../runs/kept-episodes.ts';

/** Origin of an episode. */
export type RowKind = 'train' | 'eval' | 'imported';

/** Outcome; unknown for an imported episode without an environment or a reward. */
export type Outcome = 'solved' | 'failed' | 'cut' | 'unknown';

/** One episode in the list. */
export interface TrajectoryRow {
  /** Unique in the list. */
  readonly key: string;
  readonly kind: RowKind;
  /** Null for imported ones. */
  readonly iteration: number | null;
  readonly environmentId: string;
  readonly taskId: string;
  readonly turns: number;
  /** NaN if unknown. */
  readonly score: number;
  readonly outcome: Outcome;
}

export const runKey = (number: number): string => `run ${number}`;
export const importKey = (number: number): string => `file ${number}`;

function outcomeOf(episode: {
  readonly score: number;
  readonly success: boolean;
  readonly truncated: boolean;
}): Outcome {
  if (Number.isNaN(episode.score)) return 'unknown';
  if (episode.success) return 'solved';
  return episode.truncated ? 'cut' : 'failed';
}

export function runRow(summary: EpisodeSummary): TrajectoryRow {
  const { number, kind, iteration, environmentId, taskId, turns, score } = summary;
  return {
    key: runKey(number),
    kind,
    iteration,
    environmentId,
    taskId,
    turns,
    score,
    outcome: outcomeOf(summary),
  };
}

export function importedRow(number: number, { itemId, record }: ImportedTrajectory): TrajectoryRow {
  return {
    key: importKey(number),
    kind: 'imported',
    iteration: null,
    environmentId: record.environment.id,
    taskId: String(itemId),
    turns: record.turns.length,
    score: record.score,
    // A task without a dialogue was not played.
    outcome: record.turns.length === 0 ? 'unknown' : outcomeOf(record),
  };
}

/** Filters; null for none. */
export interface RowFilter {
  readonly kind: RowKind | null;
  readonly environmentId: string | null;
  readonly outcome: Outcome | null;
}

export const everything: RowFilter = { kind: null, environmentId: null, outcome: null };

export function filterRows(
  rows: readonly TrajectoryRow[],
  { kind, environmentId, outcome }: RowFilter,
): readonly TrajectoryRow[] {
  return rows.filter(
    (row) =>
      (kind === null || row.kind === kind) &&
      (environmentId === null || row.environmentId === environmentId) &&
      (outcome === null || row.outcome === outcome),
  );
}

/** Columns that the list can be sorted by. */
export type SortColumn =
  | 'iteration'
  | 'kind'
  | 'environmentId'
  | 'taskId'
  | 'turns'
  | 'score'
  | 'outcome';

export interface Sorting {
  readonly column: SortColumn;
  readonly descending: boolean;
}

// Numbers within ids compare numerically: maze_9 before maze_10, in any locale.
const words = new Intl.Collator('en', { numeric: true });

function compare(left: string | number | null, right: string | number | null): number {
  if (typeof left === 'string' && typeof right === 'string') return words.compare(left, right);
  return Number(left) - Number(right);
}

const missing = (value: string | number | null): boolean => value === null || Number.isNaN(value);

/** Sorted rows; missing values come last in both directions, and equal rows keep their order. */
export function sortRows(
  rows: readonly TrajectoryRow[],
  { column, descending }: Sorting,
): readonly TrajectoryRow[] {
  return [...rows].sort((left, right) => {
    const [a, b] = [left[column], right[column]];
    if (missing(a) || missing(b)) return Number(missing(a)) - Number(missing(b));
    return descending ? compare(b, a) : compare(a, b);
  });
}
