/**
 * Saves all metrics of runs for other tools: CSV, JSON lines, Parquet, TensorBoard's event files.
 */

import { zipSync } from 'fflate';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { joinBytes } from '../../files/bytes.ts';
import { type CsvCell, csvTable } from '../../runs/csv.ts';
import { type MetricKey, type MetricRow, metrics } from '../../runs/metrics.ts';
import { EventWriter, eventFileName } from './event-writer.ts';
import type { LogFormat } from './formats.ts';

/** A run to save. */
export interface WrittenRun {
  readonly name: string;
  /** One row per iteration, including evaluation metrics. */
  readonly rows: readonly MetricRow[];
  /** Start time as a Unix timestamp, in seconds. */
  readonly began: number;
}

export interface LogOutput {
  /** File extension. */
  readonly extension: string;
  /** Media type. */
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const encoded = (text: string) => new TextEncoder().encode(text);

/**
 * Writes runs into one file. For several runs, tables have a column `run`, and event files are in
 * one folder each, in a zip.
 */
export function writeLog(runs: readonly WrittenRun[], format: LogFormat): LogOutput {
  switch (format) {
    case 'csv':
      return { extension: '.csv', type: 'text/csv', bytes: encoded(csvOf(runs)) };
    case 'jsonl':
      return { extension: '.jsonl', type: 'application/jsonl', bytes: encoded(linesOf(runs)) };
    case 'parquet':
      return {
        extension: '.parquet',
        type: 'application/vnd.apache.parquet',
        bytes: parquetOf(runs),
      };
    case 'events':
      return eventsOf(runs);
    default:
      return format satisfies never;
  }
}

/** The metrics of any of the rows, in the registry's order. */
function columnsOf(runs: readonly WrittenRun[]): readonly MetricKey[] {
  const present = new Set(runs.flatMap(({ rows }) => rows.flatMap((row) => Object.keys(row))));
  return metrics.map(({ key }) => key).filter((key) => present.has(key));
}

/** An empty cell for a missing value; a word for a non-finite one, as pandas writes it. */
const cellOf = (value: number | undefined): CsvCell =>
  value === undefined ? null : Number.isFinite(value) ? value : String(value);

function csvOf(runs: readonly WrittenRun[]): string {
  const columns = columnsOf(runs);
  const several = runs.length > 1;
  const table = function* (): Generator<readonly CsvCell[]> {
    yield [...(several ? ['run'] : []), ...columns];
    for (const { name, rows } of runs) {
      for (const row of rows) {
        yield [...(several ? [name] : []), ...columns.map((key) => cellOf(row[key]))];
      }
    }
  };
  return csvTable(table(), '\n');
}

/** As the trainer prints them; null for non-finite values. */
function linesOf(runs: readonly WrittenRun[]): string {
  const columns = columnsOf(runs);
  const several = runs.length > 1;
  let text = '';
  for (const { name, rows } of runs) {
    for (const row of rows) {
      const measured = columns.flatMap((key) => (row[key] === undefined ? [] : [[key, row[key]]]));
      text += `${JSON.stringify({ ...(several ? { run: name } : {}), ...Object.fromEntries(measured) })}\n`;
    }
  }
  return text;
}

function parquetOf(runs: readonly WrittenRun[]): Uint8Array<ArrayBuffer> {
  const rows = runs.flatMap((run) => run.rows);
  const names = runs.flatMap((run) => run.rows.map(() => run.name));
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        ...(runs.length > 1 ? [{ name: 'run', data: names, type: 'STRING' as const }] : []),
        ...columnsOf(runs).map((key) => ({
          name: key,
          data: rows.map((row) => row[key] ?? null),
          type: 'DOUBLE' as const,
        })),
      ],
    }),
  );
}

/** Rows store no timestamps, so an event's time is the start of the run plus its training time. */
function eventFile({ rows, began }: WrittenRun): Uint8Array<ArrayBuffer> {
  const writer = new EventWriter();
  const parts = [writer.head(began)];
  for (const row of rows) {
    const { iteration = 0, ...measured } = row;
    const numbers = Object.entries(measured).filter(([, value]) => value !== undefined);
    parts.push(writer.row(iteration, numbers, began + (row['time/seconds'] ?? 0)));
  }
  return joinBytes(parts);
}

function eventsOf(runs: readonly WrittenRun[]): LogOutput {
  const files: Record<string, Uint8Array> = {};
  runs.forEach((run, place) => {
    const folder = run.name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '');
    files[`${place + 1}-${folder || 'run'}/${eventFileName(run.began)}`] = eventFile(run);
  });
  return {
    extension: '.tensorboard.zip',
    type: 'application/zip',
    bytes: zipSync(files),
  };
}
