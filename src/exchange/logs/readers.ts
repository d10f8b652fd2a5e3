/**
 * Every log format, one row each: its title, how a file of it is recognized, and how it is read. To
 * add a format, add a row. Rows are tried in order.
 */

import {
  isDictLine,
  isTableLine,
  isVerlLine,
  readDictConsole,
  readTableConsole,
  readVerlConsole,
} from './console.ts';
import { toolOf } from './counterparts.ts';
import { isChartExport, readChartExport, readCsv, readMonitors } from './csv.ts';
import { LogError } from './error.ts';
import { Gathered } from './gathered.ts';
import { readObjectLines, readObjectList, readTrainerState, readVerlLines } from './json-lines.ts';
import { assemble, type ColumnChoice, type RunLog } from './log.ts';
import { recordOf } from './loose-json.ts';
import { isMlflowLine, readMlflow, within } from './mlflow.ts';
import { isRunFile, readOwnRows, readOwnRun } from './own.ts';
import { isParquet, readParquet } from './parquet.ts';
import { beginsWithRecord } from './records.ts';
import { folderOf, type LogFile, nameOf, type OnRead } from './source.ts';
import { readEventFiles } from './tensorboard.ts';
import { isWandb, readWandb } from './wandb.ts';

/** Why a file is not a log; completes a sentence that begins with the file's name. */
export interface Unreadable {
  readonly why: string;
}

/** The beginning of a text file. */
export interface TextHead {
  readonly file: LogFile;
  /** Without leading whitespace. */
  readonly text: string;
  readonly line: string;
}

/** The beginning of a text file that starts with `{`. */
interface ObjectHead extends TextHead {
  /** The object in the first line; null if the line is not one. */
  readonly fields: Readonly<Record<string, unknown>> | null;
}

/** How a file is recognized; a row has one of these. */
interface Recognizes {
  /** By its first bytes. */
  readonly bytes?: (head: Uint8Array, file: LogFile) => boolean;
  /** By its text, if it starts with `{`. */
  readonly object?: (head: ObjectHead) => boolean | Unreadable;
  /** By its text, if it starts with anything else. */
  readonly text?: (head: TextHead) => boolean;
  /** By a line of console output; the first line that any row recognizes decides. */
  readonly consoleLine?: (line: string) => boolean;
  /** By the names of a table's columns and its first lines. */
  readonly columns?: (names: readonly string[], lines: readonly string[]) => boolean;
}

/** Files to read, and names for the result. */
export interface Reading {
  readonly files: readonly LogFile[];
  readonly file: LogFile;
  readonly format: string;
  readonly name: string;
  readonly choice?: ColumnChoice;
  readonly onRead: OnRead;
}

type Gather = (files: readonly LogFile[], into: Gathered, onRead: OnRead) => Promise<void>;

interface LogReader extends Recognizes {
  readonly title: string;
  /** Reads all runs of the files. */
  readonly read: (reading: Reading) => Promise<readonly RunLog[]>;
  /** The folder whose files are one run; by default every file is a run. */
  readonly folder?: (file: LogFile) => string;
  /** Distinguishes several runs in one folder. */
  readonly part?: (file: LogFile) => Promise<string>;
  /** Whether a run is named after its folder, because the file's name is generic. */
  readonly namedByFolder?: true;
  /** Whether the user can assign its columns. */
  readonly table?: true;
  /** Whether Palestra wrote it, with a config. */
  readonly own?: true;
  /** If a folder has the same numbers in several files, the one with the lowest rank is read. */
  readonly rank?: number;
}

/** Reads one run. @param unit name of the log's step, if the format fixes it */
function oneRun(gather: Gather, { table = false, unit }: { table?: boolean; unit?: string } = {}) {
  return async ({ files, format, name, choice, onRead }: Reading): Promise<readonly RunLog[]> => {
    const gathered = new Gathered();
    await gather(files, gathered, onRead);
    if (gathered.size === 0) throw new LogError('has no measurements');
    return [
      assemble({
        ...{ name, format, gathered, table },
        ...(unit === undefined ? {} : { unit }),
        ...(choice === undefined ? {} : { choice }),
      }),
    ];
  };
}

/** Reads the only file of a run. */
const onlyFile =
  (gather: (file: LogFile, into: Gathered, onRead: OnRead) => Promise<void>): Gather =>
  async ([file], into, onRead) => {
    if (file !== undefined) await gather(file, into, onRead);
  };

export const logReaders = {
  event: {
    title: 'TensorBoard event files',
    bytes: (head, file) => beginsWithRecord(head) || /\.?tfevents\./.test(nameOf(file)),
    folder: folderOf,
    part: toolOfEvents,
    namedByFolder: true,
    rank: 0,
    read: oneRun(readEventFiles),
  },
  wandb: {
    title: 'a W&B file',
    bytes: isWandb,
    read: oneRun(onlyFile(readWandb), { table: true, unit: 'logged rows' }),
  },
  parquet: {
    title: 'Parquet',
    bytes: isParquet,
    table: true,
    read: oneRun(onlyFile(readParquet), { table: true }),
  },
  'run-file': {
    title: 'a run file',
    bytes: isRunFile,
    own: true,
    read: async ({ file, format, onRead }) => [await readOwnRun(file, format, onRead)],
  },
  monitor: {
    title: 'monitor files',
    text: ({ line }) => /^#\{"t_start"/.test(line),
    folder: folderOf,
    namedByFolder: true,
    read: oneRun(readMonitors, { unit: 'environment steps' }),
  },
  'trainer-state': {
    title: 'trainer_state.json',
    object: ({ file, text }) =>
      /"log_history"\s*:/.test(text) || nameOf(file) === 'trainer_state.json',
    // Each checkpoint contains the history up to it.
    folder: (file) => folderOf(file).replace(/(^|\/)checkpoint-\d+$/, ''),
    read: oneRun((files, into, onRead) => readTrainerState(newest(files), into, onRead), {
      unit: 'optimizer steps',
    }),
  },
  'verl-lines': {
    title: 'verl’s JSON lines',
    object: ({ fields }) => typeof fields?.step === 'number' && recordOf(fields.data) !== null,
    read: oneRun(onlyFile(readVerlLines)),
  },
  'palestra-rows': {
    title: 'the trainer’s JSON lines',
    object: ({ fields }) => fields !== null && isOwnRow(fields),
    own: true,
    read: async ({ file, format, onRead }) => [await readOwnRows(file, format, onRead)],
  },
  'object-lines': {
    title: 'JSON lines',
    object: ({ file, fields }) => fields !== null && measurementsIn(file, fields),
    table: true,
    rank: 1,
    read: oneRun(onlyFile(readObjectLines), { table: true }),
  },
  'object-list': {
    title: 'a JSON list',
    text: ({ text }) => /^\[\s*[{\]]/.test(text),
    table: true,
    read: oneRun(onlyFile(readObjectList), { table: true }),
  },
  mlflow: {
    title: 'an MLflow folder',
    text: ({ file, line }) =>
      within(file.path, 'params') !== null ||
      (within(file.path, 'metrics') !== null && isMlflowLine(line)),
    folder: ({ path }) => {
      const part = within(path, 'metrics') === null ? 'params' : 'metrics';
      return `/${path}`.slice(1, `/${path}`.lastIndexOf(`/${part}/`)) || 'run';
    },
    namedByFolder: true,
    read: oneRun(readMlflow),
  },
  'verl-console': {
    title: 'verl’s console',
    consoleLine: isVerlLine,
    read: oneRun(onlyFile(readVerlConsole)),
  },
  'table-console': {
    title: 'Stable-Baselines3’s console',
    consoleLine: (line) => isTableLine(line.trim()),
    rank: 3,
    read: oneRun(onlyFile(readTableConsole), { unit: 'environment steps' }),
  },
  'dict-console': {
    title: 'a Hugging Face trainer’s console',
    consoleLine: (line) => line.length < 20_000 && isDictLine(line),
    read: readDictRuns,
  },
  'chart-export': {
    title: 'W&B’s chart export',
    columns: isChartExport,
    read: readChartRuns,
  },
  csv: {
    title: 'CSV',
    columns: isMeasured,
    table: true,
    rank: 2,
    read: oneRun(onlyFile(readCsv), { table: true }),
  },
} as const satisfies Readonly<Record<string, LogReader>>;

export type FileKind = keyof typeof logReaders;

/** The kinds in the order in which they are tried. */
export const fileKinds = Object.keys(logReaders) as readonly FileKind[];

/** The reader of a kind, with its optional properties. */
export const readerOf = (kind: FileKind): LogReader => logReaders[kind];

/** Number of bytes of an event file searched for its first names. */
const EVENT_HEAD = 2 ** 17;

/** The tool that wrote an event file, by the tags in its first records. */
async function toolOfEvents(file: LogFile): Promise<string> {
  const head = await file.read(0, Math.min(file.size, EVENT_HEAD));
  const text = new TextDecoder('latin1').decode(head);
  // Without the bound, a long word would be searched again from each of its characters.
  return toolOf(text.match(/[a-z][\w-]{0,99}(?:\/[\w@.-]+)+/gi) ?? []);
}

/** The checkpoint with the largest step, whose history is complete. */
function newest(files: readonly LogFile[]): LogFile {
  const step = ({ path }: LogFile) => Number(/checkpoint-(\d+)/.exec(path)?.[1] ?? 2 ** 53);
  return files.reduce((best, file) => (step(file) > step(best) ? file : best));
}

function isOwnRow(fields: Readonly<Record<string, unknown>>): boolean {
  const own = Object.keys(fields).some((key) =>
    /^(rollout|policy|imitation|evolution|critique)\//.test(key),
  );
  return (
    (typeof fields.iteration === 'number' && own) || (fields.final === true && 'config' in fields)
  );
}

function measurementsIn(
  file: LogFile,
  fields: Readonly<Record<string, unknown>>,
): true | Unreadable {
  const measured = Object.values(fields).some(
    (value) => typeof value === 'number' || recordOf(value) !== null,
  );
  if (!measured) return { why: 'has no numbers in its first line' };
  if (nameOf(file) === 'wandb-summary.json') return { why: 'contains only the last values' };
  return true;
}

/** Whether a table has a header row, and numbers below it. */
function isMeasured(names: readonly string[], lines: readonly string[]): boolean {
  if (names.length < 2 || lines.length < 2) return false;
  const named = names.filter((cell) => cell !== '' && !/^[-+.\d]/.test(cell));
  const numbers = lines[1]?.split(/[,;\t]/).some((cell) => /^\s*"?[-+]?[\d.]+/.test(cell)) === true;
  return 2 * named.length >= names.length && numbers;
}

async function readDictRuns({ file, format, name, onRead }: Reading): Promise<readonly RunLog[]> {
  const all = (await readDictConsole(file, onRead)).filter(({ size }) => size > 0);
  if (all.length === 0) throw new LogError('has no measurements');
  return all.map((gathered, i) => ({
    ...assemble({
      name: all.length === 1 ? name : `${name}, run ${i + 1}`,
      ...{ format, gathered, table: false, unit: 'logged rows' },
    }),
    ...(all.length === 1 ? {} : { part: `run ${i + 1} of ${all.length}` }),
  }));
}

async function readChartRuns({ file, format, onRead }: Reading): Promise<readonly RunLog[]> {
  return [...(await readChartExport(file, onRead))].map(([name, gathered]) => {
    const unit = String(gathered.settings.get('x') ?? 'steps');
    gathered.settings.delete('x');
    return {
      ...assemble({ name, format, gathered, table: false, unit: chartUnit(unit) }),
      part: 'named',
    };
  });
}

/** The unit of the x axis, by the name of its column in a W&B export. */
function chartUnit(column: string): string {
  if (column === 'Step') return 'logged rows';
  if (column === 'training/global_step') return 'iterations';
  return /global_step$/.test(column) ? 'steps' : column;
}
