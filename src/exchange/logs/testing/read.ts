/** Reads logs from files in memory, in the way that callers of the reader do. */

import type { MetricKey } from '../../../runs/metrics.ts';
import type { ColumnChoice, RunLog } from '../log.ts';
import { readGroup, recognizeAll } from '../read-logs.ts';
import { type LogFile, memoryFile, textFile } from '../source.ts';

export type Files = Readonly<Record<string, string | Uint8Array>>;

export function filesOf(files: Files): LogFile[] {
  return Object.entries(files).map(([path, content]) =>
    typeof content === 'string' ? textFile(path, content) : memoryFile(path, content),
  );
}

/** All runs of some files. */
export async function readAll(files: Files, choice?: ColumnChoice): Promise<readonly RunLog[]> {
  const { groups } = await recognizeAll(filesOf(files));
  const runs: RunLog[] = [];
  for (const group of groups) runs.push(...(await readGroup(group, () => {}, choice)));
  return runs;
}

/** The only run of some files. */
export async function readOnly(files: Files, choice?: ColumnChoice): Promise<RunLog> {
  const [run, ...others] = await readAll(files, choice);
  if (run === undefined || others.length > 0)
    throw new Error(`${others.length + 1} runs were read`);
  return run;
}

/** A metric of the evidence by row; null where a row has none. */
export function column({ evidence }: RunLog, metric: MetricKey): (number | null)[] {
  return evidence.rows.map(({ metrics }) => metrics[metric] ?? null);
}

/** Points of a series as pairs. */
export function pairs({ series }: RunLog, key: string): [number, number][] {
  const found = series.find((one) => one.key === key);
  if (found === undefined) throw new Error(`${key} was not read`);
  return [...found.x].map((x, i) => [x, found.y[i] ?? Number.NaN]);
}

export const keysWithout = (run: RunLog): string[] =>
  run.series.filter(({ metric }) => metric === null).map(({ key }) => key);
