/** What a run of a sweep leaves: one file, the same to the byte however often the run was interrupted. */
import type { Config } from '../config/schema.ts';
import { formatRun, type KeptRows, keepRows, summarise } from '../runs/experiment-run.ts';
import { type MetricKey, type MetricRow, metrics } from '../runs/metrics.ts';
import type { Outcome } from './plan.ts';
import type { Values } from './space.ts';

/** A run up to where it has come. */
export interface RunProgress {
  /** Every iteration so far, without times and without what is not finite. */
  readonly rows: readonly MetricRow[];
  /** The metric at each rung so far. */
  readonly rungs: readonly (number | null)[];
}

/** Without times, names of machines and whatever else differs between two runs of the same bits. */
export interface RunRecord {
  /** Version of this format. */
  readonly palestra_sweep_run: 1;
  readonly run: string;
  readonly trial: number;
  readonly seed: number;
  readonly values: Values;
  readonly outcome: Outcome;
  /** What ended it: the stop condition, the rung, or the error. */
  readonly reason: string;
  /** The sweep's metric: at the end, or at the last rung of a stopped run. */
  readonly value: number | null;
  readonly rungs: readonly (number | null)[];
  /** Null where the values do not go together. */
  readonly config: Config | null;
  /** What computed it, as its device calls itself; null where it never began. */
  readonly device: string | null;
  readonly summary: ReturnType<typeof summarise>;
  /** The evaluation on every task after the last iteration; null where the run did not come to its end. */
  readonly evaluation: MetricRow | null;
  readonly rows?: KeptRows;
}

/** Everything that is measured but times. */
const columns: readonly MetricKey[] = metrics.flatMap(({ key }) =>
  key.startsWith('time/') ? [] : [key],
);

/** A row as it is kept: what JSON can write, and what is the same on every machine of a kind. */
export function keptRow(row: MetricRow): MetricRow {
  return Object.fromEntries(
    columns.flatMap((key) => {
      const value = row[key];
      return value !== undefined && Number.isFinite(value) ? [[key, value]] : [];
    }),
  );
}

/** Points of a metric so far. */
export function pointsOf(rows: readonly MetricRow[], key: MetricKey): number {
  return rows.filter((row) => row[key] !== undefined).length;
}

/** The newest point of a metric; null where there is none. */
export function lastPoint(rows: readonly MetricRow[], key: MetricKey): number | null {
  return rows.findLast((row) => row[key] !== undefined)?.[key] ?? null;
}

/** The metric at the end: that of the evaluation on every task where that has it, else its last point. */
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
    summary: summarise(rows, Number.POSITIVE_INFINITY),
    evaluation,
    rows: keepRows(rows, columns),
  };
}

/** The record as its file holds it: readable, and one line a row. */
export function formatRecord(record: RunRecord): string {
  return formatRun(record);
}

/**
 * A record from its file.
 *
 * @throws {RecordError} for anything else; a record is written whole, so somebody has changed it
 */
export function parseRecord(file: string, text: string): RunRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RecordError(file, 'is no JSON');
  }
  const { palestra_sweep_run: version, run } = (value ?? {}) as Partial<RunRecord>;
  if (version === 1 && typeof run === 'string') return value as RunRecord;
  throw new RecordError(file, 'is no record of a run of this version of Palestra');
}

/** Thrown for a file of a sweep's folder that cannot be used. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  constructor(file: string, problem: string) {
    super(`${file} ${problem}; delete it, and it is made again`);
  }
}
