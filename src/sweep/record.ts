/** The record of a run: one file, whose bytes do not depend on interruptions. */
import type { Config } from '../config/schema.ts';
import { formatRun, type KeptRows, keepRows, summarize } from '../experiments/run.ts';
import { type MetricKey, type MetricRow, metrics } from '../runs/metrics.ts';
import type { Outcome } from './plan.ts';
import type { Values } from './space.ts';

/** The progress of a run. */
interface RunProgress {
  /** Every iteration so far, without times or non-finite values. */
  readonly rows: readonly MetricRow[];
  /** The metric at each rung so far. */
  readonly rungs: readonly (number | null)[];
}

/** The result of a run, without times or machine names, which differ between identical runs. */
export interface RunRecord {
  /** Version of this format. */
  readonly palestra_sweep_run: 1;
  readonly run: string;
  readonly trial: number;
  readonly seed: number;
  readonly values: Values;
  readonly outcome: Outcome;
  /** Why the run ended: the stop condition, the rung or the error. */
  readonly reason: string;
  /** The metric at the end, or at the last rung of a stopped run. */
  readonly value: number | null;
  readonly rungs: readonly (number | null)[];
  /** Null for an invalid combination of values. */
  readonly config: Config | null;
  /** The device it ran on; null if it never started. */
  readonly device: string | null;
  readonly summary: ReturnType<typeof summarize>;
  /** The evaluation on every task after the last iteration; null if the run did not finish. */
  readonly evaluation: MetricRow | null;
  readonly rows?: KeptRows;
}

/** All metrics except times. */
const columns: readonly MetricKey[] = metrics.flatMap(({ key }) =>
  key.startsWith('time/') ? [] : [key],
);

/** A row without times or non-finite values, identical on all machines of the same kind. */
export function keptRow(row: MetricRow): MetricRow {
  return Object.fromEntries(
    columns.flatMap((key) => {
      const value = row[key];
      return value !== undefined && Number.isFinite(value) ? [[key, value]] : [];
    }),
  );
}

/** Number of points of a metric so far. */
export function pointsOf(rows: readonly MetricRow[], key: MetricKey): number {
  return rows.filter((row) => row[key] !== undefined).length;
}

/** The latest point of a metric; null if there is none. */
export function lastPoint(rows: readonly MetricRow[], key: MetricKey): number | null {
  return rows.findLast((row) => row[key] !== undefined)?.[key] ?? null;
}

/** The final value of a metric: from the evaluation on all tasks if measured there, else its last point. */
export function endValue(
  key: MetricKey,
  rows: readonly MetricRow[],
  evaluation: MetricRow | null,
): number | null {
  return evaluation?.[key] ?? lastPoint(rows, key);
}

export function makeRecord(
  run: Pick<RunRecord, 'run' | 'trial' | 'seed' | 'values' | 'config' | 'device'>,
  { rows, rungs }: RunProgress,
  end: Pick<RunRecord, 'outcome' | 'reason' | 'value' | 'evaluation'>,
): RunRecord {
  const { config, device, ...which } = run;
  const { evaluation, ...how } = end;
  return {
    palestra_sweep_run: 1,
    ...which,
    ...how,
    rungs,
    config,
    device,
    summary: summarize(rows, Number.POSITIVE_INFINITY),
    evaluation,
    rows: keepRows(rows, columns),
  };
}

/** The text of a record: JSON with one line per row. */
export function formatRecord(record: RunRecord): string {
  return formatRun(record);
}

/**
 * Parses the text of a record.
 *
 * @throws {RecordError} if the text is invalid, which means that it was edited: records are written
 *   atomically.
 */
export function parseRecord(file: string, text: string): RunRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RecordError(file, 'is not JSON');
  }
  const { palestra_sweep_run: version, run } = (value ?? {}) as Partial<RunRecord>;
  if (version === 1 && typeof run === 'string') return value as RunRecord;
  throw new RecordError(file, 'is not a run record of this version of Palestra');
}

/** Thrown for an invalid file in the folder of a sweep. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  constructor(file: string, problem: string) {
    super(`${file} ${problem}; delete it to have it recreated`);
  }
}
