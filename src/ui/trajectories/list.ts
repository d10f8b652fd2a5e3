/** The list of episodes as data: what a row shows, which rows are shown, in which order. */

import type { EpisodeSummary } from '../../runs/kept-episodes.ts';
import type { ImportedTrajectory } from '../../runs/trajectory-import.ts';

/** Where an episode came from. */
export type RowKind = 'train' | 'eval' | 'imported';

/** How it ended; unknown for a file's episode that no environment plays and no reward tells of. */
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
  /** NaN where nothing tells it. */
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

/** Which rows are shown; null shows all. */
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

// Numbers within ids count as numbers: maze_9 comes before maze_10, on every machine.
const words = new Intl.Collator('en', { numeric: true });

function compare(left: string | number | null, right: string | number | null): number {
  if (typeof left === 'string' && typeof right === 'string') return words.compare(left, right);
  return Number(left) - Number(right);
}

const missing = (value: string | number | null): boolean => value === null || Number.isNaN(value);

/** Rows in order; what is missing comes last either way, and equal rows stay as they were. */
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

/** Rows of one page. */
export const PAGE_ROWS = 10;

/** The page of rows that a wish for one leads to; there always is a first one. */
export function pageOf<Row>(
  rows: readonly Row[],
  wished: number,
): { readonly page: number; readonly pages: number; readonly rows: readonly Row[] } {
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
  const page = Math.min(pages - 1, Math.max(0, wished));
  return { page, pages, rows: rows.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS) };
}
