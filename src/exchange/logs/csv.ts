/** Comma-separated values, read row by row with Papa Parse. */

import Papa from 'papaparse';
import { foreignLimits } from '../../files/log-limits.ts';
import { LogError, shown } from './error.ts';
import { Gathered } from './gathered.ts';
import { numberOf } from './loose-json.ts';
import { type LogFile, type OnRead, piecesOf } from './source.ts';

const delimiters = [',', '\t', ';'] as const;

/** The probable delimiter of a line. */
function delimiterOf(line: string): string {
  const counts = delimiters.map((one) => line.split(one).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** The cells of a table's first line. */
export function headOf(text: string): readonly string[] {
  const line = text.replace(/^\ufeff/, '');
  const parser = new Papa.Parser({
    delimiter: delimiterOf(line.split('\n', 1)[0] ?? ''),
    preview: 1,
  });
  const [cells = []] = parser.parse(line, 0, false).data as string[][];
  return cells.map((cell) => cell.trim());
}

/**
 * The rows of a table in batches, including the header.
 *
 * @throws {LogError} for a row above the length limit
 */
async function* rowsOf(
  file: LogFile,
  onRead: OnRead,
  from = 0,
): AsyncGenerator<readonly (readonly string[])[]> {
  const decoder = new TextDecoder();
  let rest = '';
  let rows = 0;
  let parser: {
    parse(text: string, at: number, more: boolean): Papa.ParseResult<string[]>;
  } | null = null;
  const parse = (more: boolean): readonly string[][] => {
    parser ??= new Papa.Parser({
      delimiter: delimiterOf(rest.split('\n', 1)[0] ?? ''),
      newline: /^[^\n]*\r\n/.test(rest) ? '\r\n' : '\n',
    });
    const { data, meta } = parser.parse(rest, 0, more);
    if (more && data.length === 0 && rest.length > foreignLimits.line) {
      throw new LogError(`has more than ${foreignLimits.line} characters in row ${rows + 1}`);
    }
    rest = more ? rest.slice(meta.cursor) : '';
    rows += data.length;
    return data;
  };
  let skip = from;
  for await (const piece of piecesOf(file, onRead)) {
    rest += decoder.decode(piece, { stream: true });
    if (skip > 0) {
      rest = rest.slice(skip);
      skip = 0;
    }
    yield parse(true);
  }
  rest += decoder.decode();
  if (rest !== '') yield parse(false);
}

const isEmpty = (cells: readonly string[]) =>
  cells.length === 0 || (cells.length === 1 && cells[0] === '');

/** Column names, made unique. */
function columnsOf(head: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  if (head.length > foreignLimits.series) {
    throw new LogError(`has ${head.length} columns; the limit is ${foreignLimits.series}`);
  }
  return head.map((cell, place) => {
    const name = cell.trim() || `column ${place + 1}`;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name} (${times})`;
  });
}

/**
 * Reads a table whose first row names its columns. The row number, from 1, is the axis until
 * another is chosen; an empty cell is a missing value.
 *
 * @throws {LogError}
 */
export async function readCsv(file: LogFile, into: Gathered, onRead: OnRead): Promise<void> {
  let columns: readonly string[] | null = null;
  let row = 0;
  const long = { count: 0, first: 0 };
  for await (const batch of rowsOf(file, onRead)) {
    for (const cells of batch) {
      if (isEmpty(cells)) continue;
      if (columns === null) {
        columns = columnsOf(cells);
        continue;
      }
      row++;
      if (cells.length > columns.length && long.count++ === 0) long.first = row;
      for (let place = 0; place < columns.length; place++) {
        const cell = cells[place];
        if (cell === undefined || cell === '') continue;
        const number = numberOf(cell);
        if (number !== undefined) into.add(columns[place] ?? '', row, number);
      }
    }
  }
  if (row === 0) throw new LogError('is a table without rows');
  if (long.count > 0) {
    into.note(
      `${file.path} has ${long.count} rows with more cells than columns, the first in row ${long.first}.`,
    );
  }
}

/** Separates run and metric in a column name of W&B's chart export; `__MIN` or `__MAX` may follow. */
const BETWEEN = ' - ';

export function isChartExport(head: readonly string[]): boolean {
  return (
    head.length >= 4 && head.some((cell) => cell.includes(BETWEEN) && /__(MIN|MAX)$/.test(cell))
  );
}

export function isRunsTable(head: readonly string[]): boolean {
  return head[0] === 'Name' && head[1] === 'State';
}

/**
 * Reads W&B's chart export: an x column, then each run's last value per bucket with its extremes.
 * Run names may contain ` - ` themselves, so column names are split at their common suffix.
 *
 * @returns the runs by name
 */
export async function readChartExport(
  file: LogFile,
  onRead: OnRead,
): Promise<ReadonlyMap<string, Gathered>> {
  const whole = new Gathered();
  await readCsv(file, whole, onRead);
  const points = whole.points();
  const tail = commonMetric([...points.keys()]);
  const [axis = ''] = [...points.keys()].filter((key) => !key.includes(BETWEEN));
  const places = new Map<number, number>();
  const abscissa = points.get(axis);
  if (abscissa === undefined) throw new LogError('has no step column');
  abscissa.x.forEach((row, i) => {
    places.set(row, abscissa.y[i] ?? Number.NaN);
  });
  const runs = new Map<string, Gathered>();
  for (const [key, { x, y }] of points) {
    const parts = splitColumn(key, tail);
    if (parts === null) continue;
    const { run, metric } = parts;
    // With a custom axis there is also a step column.
    if (metric === '_step') continue;
    const into = runs.get(run) ?? new Gathered();
    runs.set(run, into);
    x.forEach((row, i) => {
      const at = places.get(row);
      if (at !== undefined && Number.isFinite(at)) into.add(metric, at, y[i] ?? Number.NaN);
    });
    into.settings.set('x', axis);
  }
  if (runs.size === 0)
    throw new LogError(`has no run column, only ${shown([...points.keys()].join(', '))}`);
  return runs;
}

/** The metric's name: what follows the last ` - ` of the columns with extremes. */
function commonMetric(keys: readonly string[]): string | null {
  const extreme = keys.find((key) => key.endsWith('__MIN'));
  if (extreme === undefined) return null;
  const base = extreme.slice(0, -'__MIN'.length);
  const at = base.lastIndexOf(BETWEEN);
  return at === -1 ? null : base.slice(at + BETWEEN.length);
}

function splitColumn(
  key: string,
  tail: string | null,
): { readonly run: string; readonly metric: string } | null {
  const [, end = ''] = /(__MIN|__MAX)$/.exec(key) ?? [];
  const base = key.slice(0, key.length - end.length);
  for (const metric of tail === null ? [] : [tail, '_step']) {
    if (base.endsWith(BETWEEN + metric)) {
      return { run: base.slice(0, -(metric.length + BETWEEN.length)), metric: metric + end };
    }
  }
  const at = base.lastIndexOf(BETWEEN);
  return at === -1
    ? null
    : { run: base.slice(0, at), metric: base.slice(at + BETWEEN.length) + end };
}

/** An episode of a monitor file. */
interface Episode {
  /** Time of its end, in seconds since 1970. */
  readonly at: number;
  readonly reward: number;
  readonly length: number;
}

/**
 * Reads the Stable-Baselines3 monitor files of one run: a JSON line with the start time, then one
 * episode per row. Several workers are merged by time; the x axis counts the steps of all workers.
 */
export async function readMonitors(
  files: readonly LogFile[],
  into: Gathered,
  onRead: OnRead,
): Promise<void> {
  const episodes: Episode[] = [];
  for (const file of files) {
    const head = new TextDecoder().decode(await file.read(0, 4096));
    const start = Number(/"t_start":\s*([-+.\deE]+)/.exec(head)?.[1] ?? Number.NaN);
    if (!head.startsWith('#') || !head.includes('\n') || !Number.isFinite(start)) {
      throw new LogError('does not start with the header line of a monitor file');
    }
    let columns: readonly string[] | null = null;
    for await (const batch of rowsOf(file, onRead, head.indexOf('\n') + 1)) {
      for (const cells of batch) {
        if (isEmpty(cells)) continue;
        if (columns === null) {
          columns = columnsOf(cells);
          continue;
        }
        const cell = (name: string) =>
          numberOf(cells[columns?.indexOf(name) ?? -1] ?? '') ?? Number.NaN;
        const episode = { at: start + cell('t'), reward: cell('r'), length: cell('l') };
        if (Number.isFinite(episode.at) && episode.length >= 0) episodes.push(episode);
        if (episodes.length > foreignLimits.points) {
          throw new LogError(`has more than ${foreignLimits.points} episodes`);
        }
      }
    }
  }
  episodes.sort((a, b) => a.at - b.at);
  let steps = 0;
  for (const { reward, length } of episodes) {
    steps += length;
    into.add('monitor/r', steps, reward);
    into.add('monitor/l', steps, length);
  }
  if (episodes.length === 0) throw new LogError('has no episodes');
}
