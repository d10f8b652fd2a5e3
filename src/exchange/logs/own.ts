/** Logs of this project: the trainer's output, and run files. */

import type { Evidence, Facts } from '../../diagnosis/evidence.ts';
import { fileLimits } from '../../files/limits.ts';
import { logLimits } from '../../files/log-limits.ts';
import { isZip } from '../../files/zip.ts';
import { CheckpointError } from '../../runs/checkpoint.ts';
import { type MetricKey, metrics } from '../../runs/metrics.ts';
import { decodeRunFile, RunFileError } from '../../runs/run-file.ts';
import { axisOf } from './axis.ts';
import { LogError } from './error.ts';
import { Gathered, type Setting } from './gathered.ts';
import type { LogSeries, RunLog } from './log.ts';
import { RowLogError, readRowLog } from './rows.ts';
import { type LogFile, nameOf, type OnRead, piecesOf } from './source.ts';

/** @throws {LogError} */
export async function readOwnRows(file: LogFile, format: string, onRead: OnRead): Promise<RunLog> {
  const bytes = await wholeFile(file, logLimits.bytes, onRead);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const { rows, evaluations, config, model, notes } = readRowLog(text);
    const facts = config ?? {};
    return ownLog(nameOf(file), format, { rows, evaluations, facts }, { model, notes });
  } catch (error) {
    if (error instanceof RowLogError) throw new LogError(error.message);
    if (error instanceof TypeError) throw new LogError('is not UTF-8 text');
    throw error;
  }
}

/** Files in a run file, of which any may be the first. */
const runEntries: readonly string[] = ['run.json', 'rows.bin', 'checkpoint.safetensors'];

/** Whether a zip begins with a file of a run. Checkpoints and arrays of other tools are zips too. */
export function isRunFile(head: Uint8Array): boolean {
  if (!isZip(head)) return false;
  // In a local header, the length of the name is at byte 26 and the name at byte 30.
  const end = 30 + (head[26] ?? 0) + 256 * (head[27] ?? 0);
  return runEntries.includes(new TextDecoder('latin1').decode(head.subarray(30, end)));
}

/** @throws {LogError} */
export async function readOwnRun(file: LogFile, format: string, onRead: OnRead): Promise<RunLog> {
  const bytes = await wholeFile(file, fileLimits.run, onRead);
  try {
    const { rows, entry, replaced } = decodeRunFile(bytes);
    const evaluations = rows.flatMap(({ iteration, evaluation }) =>
      evaluation === undefined ? [] : [{ iteration, metrics: evaluation.metrics }],
    );
    return ownLog(
      entry.name,
      format,
      { rows, evaluations, facts: entry.config },
      { model: entry.base?.name ?? null, notes: replaced },
    );
  } catch (error) {
    if (error instanceof RunFileError || error instanceof CheckpointError) {
      throw new LogError(`cannot be used: ${error.message}`);
    }
    throw error;
  }
}

async function wholeFile(file: LogFile, most: number, onRead: OnRead): Promise<Uint8Array> {
  if (file.size > most) {
    throw new LogError(`has ${file.size} bytes; the limit is ${most}`);
  }
  const whole = new Uint8Array(file.size);
  let at = 0;
  for await (const piece of piecesOf(file, onRead)) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole.subarray(0, at);
}

function ownLog(
  name: string,
  format: string,
  evidence: Evidence,
  { model, notes }: { readonly model: string | null; readonly notes: readonly string[] },
): RunLog {
  const series = metrics.flatMap(({ key }) => seriesOf(key, evidence) ?? []);
  return {
    ...{ name, tool: 'palestra', format, axis: axisOf('iteration', 'iterations'), series },
    places: Float64Array.from(evidence.rows, ({ iteration }) => iteration),
    ...{ evidence, settings: settingsOf(evidence.facts), notes },
    ...(model === null ? {} : { model }),
  };
}

/** The settings by path; a list is one setting, as JSON. */
function settingsOf(facts: Facts): ReadonlyMap<string, Setting> {
  const gathered = new Gathered();
  const listAsText = (_: string, value: unknown) =>
    Array.isArray(value) ? JSON.stringify(value) : value;
  gathered.setAll(JSON.parse(JSON.stringify(facts), listAsText));
  return gathered.settings;
}

/** The series of a metric, over the iterations that have it. */
function seriesOf(key: MetricKey, { rows, evaluations }: Evidence): LogSeries | null {
  const points = new Map<number, number>();
  for (const { iteration, metrics: row } of [...rows, ...evaluations]) {
    const value = row[key];
    if (value !== undefined) points.set(iteration, value);
  }
  if (key === 'iteration' || points.size === 0) return null;
  const order = [...points].sort(([a], [b]) => a - b);
  return {
    ...{ key, metric: key, differs: null },
    x: Float64Array.from(order, ([x]) => x),
    y: Float64Array.from(order, ([, y]) => y),
  };
}
