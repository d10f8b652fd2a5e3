/** Means over the newest iterations, and whether they changed by more than their scatter. */

import type { MetricKey } from '../runs/metrics.ts';
import { significant } from '../runs/numbers.ts';
import type { EvidenceRow, Rule } from './evidence.ts';

/** Number of iterations averaged for "now" and for "before". */
export const WINDOW = 5;

/** Mean of the last `WINDOW` values of a metric. */
export function recentMean(rows: readonly EvidenceRow[], key: MetricKey): number | undefined {
  let sum = 0;
  let count = 0;
  for (let index = rows.length - 1; index >= 0 && count < WINDOW; index--) {
    const value = rows[index]?.metrics[key];
    if (value === undefined || !Number.isFinite(value)) continue;
    sum += value;
    count += 1;
  }
  return count === 0 ? undefined : sum / count;
}

/** The change of a metric from the previous window to the current one. */
export interface Trend {
  readonly now: number;
  readonly before: number;
  readonly change: number;
  /** The change is larger than what the values' own scatter explains (two standard errors). */
  readonly clear: boolean;
}

/** A number of an iteration; undefined or not finite if it was not measured. */
export type ReadRow = (row: EvidenceRow) => number | undefined;

export interface Sample {
  readonly mean: number;
  /** Squared standard error of the mean. */
  readonly error: number;
}

/** Mean of the finite values; undefined if there are none. */
export function meanOf(all: Float64Array): Sample | undefined {
  const values = all.filter(Number.isFinite);
  const n = values.length;
  if (n === 0) return undefined;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: squares / Math.max(1, n - 1) / n };
}

/** Mean over the rows that have a value; undefined if none has. */
export const sample = (rows: readonly EvidenceRow[], read: ReadRow) =>
  meanOf(Float64Array.from(rows, (row) => read(row) ?? Number.NaN));

/** The recent change of a metric; undefined if there are fewer than two rows to compare. */
export function trend(rows: readonly EvidenceRow[], key: MetricKey): Trend | undefined {
  return trendOf(rows, ({ metrics }) => metrics[key]);
}

/** Like `trend`, for any number of a row. */
export function trendOf(rows: readonly EvidenceRow[], read: ReadRow): Trend | undefined {
  const window = Math.min(WINDOW, Math.floor(rows.length / 2));
  if (window === 0) return undefined;
  const now = sample(rows.slice(-window), read);
  const before = sample(rows.slice(-2 * window, -window), read);
  if (now === undefined || before === undefined) return undefined;
  const change = now.mean - before.mean;
  return {
    now: now.mean,
    before: before.mean,
    change,
    clear: window >= 2 && Math.abs(change) > 2 * Math.sqrt(now.error + before.error),
  };
}

/** The last iteration at which the horizon changed, if it was within the last `within` rows. */
export function horizonChange(
  rows: readonly EvidenceRow[],
  within: number,
): { readonly iteration: number; readonly from: number; readonly to: number } | undefined {
  for (let index = rows.length - 1; index >= Math.max(1, rows.length - within); index--) {
    const to = rows[index]?.metrics['rollout/horizon'];
    const from = rows[index - 1]?.metrics['rollout/horizon'];
    const iteration = rows[index]?.iteration;
    if (to === undefined || from === undefined || iteration === undefined) continue;
    if (to !== from) return { iteration, from, to };
  }
  return undefined;
}

/**
 * Estimated number of an iteration's tasks that fail in every attempt while the others succeed. 0 if it cannot
 * be estimated, because rewards differ within too many groups or there are too few tasks of either kind.
 *
 * @param tasks tasks per iteration
 * @param agree share of groups whose episodes all earn the same reward
 */
export function alwaysFailing(
  tasks: number | undefined,
  agree: number | undefined,
  success: number | undefined,
): number {
  if (tasks === undefined || success === undefined || !((agree ?? 0) > 0.9)) return 0;
  const failing = Math.round(tasks * (1 - success));
  // If successes are few, they may come from groups with both successes and failures.
  return success > 1.5 * (1 - (agree ?? 0)) && failing < tasks ? failing : 0;
}

/** A rule that states a metric's recent mean and, if it clearly changed, the previous one. */
export const whyMoves =
  (key: MetricKey): Rule =>
  ({ rows }) => {
    const now = recentMean(rows, key);
    if (now === undefined) return null;
    const moved = trend(rows, key);
    if (moved?.clear !== true) return `The last iterations average ${significant(now)}.`;
    return `It ${moved.change > 0 ? 'rose' : 'fell'} from ${significant(moved.before)} to ${significant(moved.now)} in the last iterations.`;
  };
