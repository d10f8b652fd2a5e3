/** Logs of runs, whatever tool wrote them: files and folders in, runs out. */

import { foreignLimits } from '../../files/log-limits.ts';
import { readDictConsole, readTableConsole, readVerlConsole } from './console.ts';
import { readChartExport, readCsv, readMonitors } from './csv.ts';
import { LogError } from './error.ts';
import { Gathered } from './gathered.ts';
import { readObjectLines, readObjectList, readTrainerState, readVerlLines } from './json-lines.ts';
import { type Assembly, assemble, type ColumnChoice, type RunLog } from './log.ts';
import { readMlflow } from './mlflow.ts';
import { readOwnRows, readOwnRun } from './own.ts';
import { readParquet } from './parquet.ts';
import { type FileKind, recognise, runOf } from './recognise.ts';
import { folderOf, type LogFile, nameOf, type OnRead } from './source.ts';
import { readEventFiles } from './tensorboard.ts';
import { readWandb } from './wandb.ts';

const formats: Readonly<Record<FileKind, string>> = {
  'palestra-rows': 'the trainer’s JSON lines',
  'run-file': 'a run file',
  event: 'TensorBoard event files',
  wandb: 'a W&B file',
  parquet: 'Parquet',
  'trainer-state': 'trainer_state.json',
  'verl-lines': 'verl’s JSON lines',
  'object-lines': 'JSON lines',
  'object-list': 'a JSON list',
  'verl-console': 'verl’s console',
  'dict-console': 'the console of a Hugging Face trainer',
  'table-console': 'the console of Stable-Baselines3',
  mlflow: 'an MLflow folder',
  monitor: 'monitor files',
  'chart-export': 'W&B’s chart export',
  csv: 'CSV',
};

/** Files of one run, of one kind, in the order of their names. */
export interface FileGroup {
  readonly kind: FileKind;
  readonly files: readonly LogFile[];
  /** Tells less of the same run, and is read where these cannot be. */
  readonly spare?: FileGroup;
}

export interface Recognised {
  readonly groups: readonly FileGroup[];
  /** Files that are none, with the reason. */
  readonly others: readonly { readonly path: string; readonly why: string }[];
}

/** Where several files of a folder tell of one run, the one that tells most is read. */
const better: Readonly<Partial<Record<FileKind, number>>> = {
  'object-lines': 1,
  csv: 2,
  'table-console': 3,
};
/** Names under which Stable-Baselines3 and RLlib write the same numbers twice or three times. */
const TWICE = /^(progress\.(csv|json)|result\.json|log\.txt)$/;

/**
 * Sorts files into runs.
 *
 * @throws {LogError} for more than is read at once
 */
export async function recogniseAll(files: readonly LogFile[]): Promise<Recognised> {
  if (files.length > foreignLimits.files) {
    throw new LogError(
      `are ${files.length} files, and at most ${foreignLimits.files} are read at once`,
    );
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > foreignLimits.bytes) {
    throw new LogError(`have ${bytes} bytes, and at most ${foreignLimits.bytes} are read at once`);
  }
  const groups = new Map<string, { kind: FileKind; files: LogFile[] }>();
  const others: { path: string; why: string }[] = [];
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const kind = await recognise(file);
    if (typeof kind !== 'string') {
      others.push({ path: file.path, why: kind.why });
      continue;
    }
    const id = runOf(file, kind);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, { kind, files: [file] });
    else group.files.push(file);
  }
  return { groups: onceOfWandb(once([...groups.values()], others), others), others };
}

/** What W&B writes beside its own file of a run, in a folder of it. */
const BESIDE_WANDB = /^(output\.log|wandb-history\.jsonl)$/;

/** A run's folder of W&B has what it printed as well; of the two its own file tells more. */
function onceOfWandb(
  groups: readonly FileGroup[],
  others: { path: string; why: string }[],
): readonly FileGroup[] {
  const spares = new Map<FileGroup, FileGroup>();
  for (const group of groups) {
    const [file] = group.files;
    if (file === undefined || !BESIDE_WANDB.test(nameOf(file))) continue;
    const run = folderOf(file).replace(/(^|\/)files$/, '');
    const own = groups.find(
      ({ kind, files: [other] }) =>
        kind === 'wandb' && other !== undefined && folderOf(other) === run,
    );
    if (own === undefined) continue;
    spares.set(own, group);
    others.push({ path: file.path, why: `has what ${own.files[0]?.path} has` });
  }
  const left = new Set(spares.values());
  return groups
    .filter((group) => !left.has(group))
    .map((group) => {
      const spare = spares.get(group);
      return spare === undefined ? group : { ...group, spare };
    });
}

/** Leaves out what another file of the same folder has as well. */
function once(
  groups: readonly FileGroup[],
  others: { path: string; why: string }[],
): readonly FileGroup[] {
  return groups.filter((group) => {
    const [file] = group.files;
    const rank = better[group.kind];
    if (file === undefined || rank === undefined || !TWICE.test(nameOf(file))) return true;
    const fuller = groups.find(
      ({ kind, files: [other] }) =>
        other !== undefined &&
        folderOf(other) === folderOf(file) &&
        (TWICE.test(nameOf(other)) || kind === 'event') &&
        (kind === 'event' ? 0 : (better[kind] ?? 9)) < rank,
    );
    if (fuller === undefined) return true;
    others.push({ path: file.path, why: `has what ${fuller.files[0]?.path} has` });
    return false;
  });
}

/**
 * Reads the runs of one group.
 *
 * @param choice what a visitor says of a table's columns
 * @throws {LogError}
 */
export async function readGroup(
  group: FileGroup,
  onRead: OnRead,
  choice?: ColumnChoice,
): Promise<readonly RunLog[]> {
  try {
    return await readFiles(group, onRead, choice);
  } catch (error) {
    const { spare, files } = group;
    if (spare === undefined || !(error instanceof LogError)) throw error;
    const note = `${files[0]?.path} ${error.message}; ${spare.files[0]?.path} is read in its place.`;
    const runs = await readFiles(spare, onRead, choice);
    return runs.map((run) => ({ ...run, notes: [note, ...run.notes] }));
  }
}

async function readFiles(
  { kind, files }: FileGroup,
  onRead: OnRead,
  choice?: ColumnChoice,
): Promise<readonly RunLog[]> {
  const [file] = files;
  if (file === undefined) return [];
  const format = formats[kind];
  if (kind === 'palestra-rows') return [await readOwnRows(file, format, onRead)];
  if (kind === 'run-file') return [await readOwnRun(file, format, onRead)];
  if (kind === 'chart-export') {
    const runs = await readChartExport(file, onRead);
    return [...runs].map(([name, gathered]) => {
      const unit = String(gathered.settings.get('x') ?? 'steps');
      gathered.settings.delete('x');
      return assemble({ name, format, gathered, table: false, unit: chartUnit(unit) });
    });
  }
  const gathered = new Gathered();
  const how = await readOne(kind, files, file, gathered, onRead);
  if (gathered.size === 0) throw new LogError('has no measurement');
  const name = runName(kind, file);
  return [
    assemble({ name, format, gathered, ...how, ...(choice === undefined ? {} : { choice }) }),
  ];
}

/** W&B's name of an abscissa, as what it counts. */
function chartUnit(column: string): string {
  if (column === 'Step') return 'logged rows';
  if (column === 'training/global_step') return 'iterations';
  return /global_step$/.test(column) ? 'steps' : column;
}

async function readOne(
  kind: Exclude<FileKind, 'chart-export' | 'palestra-rows' | 'run-file'>,
  files: readonly LogFile[],
  file: LogFile,
  into: Gathered,
  onRead: OnRead,
): Promise<Pick<Assembly, 'table' | 'unit'>> {
  switch (kind) {
    case 'event':
      await readEventFiles(files, into, onRead);
      return { table: false };
    case 'wandb':
      await readWandb(file, into, onRead);
      return { table: true, unit: 'logged rows' };
    case 'parquet':
      await readParquet(file, into, onRead);
      return { table: true };
    case 'trainer-state':
      await readTrainerState(newest(files), into, onRead);
      return { table: false, unit: 'optimiser steps' };
    case 'verl-lines':
      await readVerlLines(file, into, onRead);
      return { table: false };
    case 'object-lines':
      await readObjectLines(file, into, onRead);
      return { table: true };
    case 'object-list':
      await readObjectList(file, into, onRead);
      return { table: true };
    case 'verl-console':
      await readVerlConsole(file, into, onRead);
      return { table: false };
    case 'dict-console':
      await readDictConsole(file, into, onRead);
      return { table: false, unit: 'logged rows' };
    case 'table-console':
      await readTableConsole(file, into, onRead);
      return { table: false, unit: 'environment steps' };
    case 'mlflow':
      await readMlflow(files, into, onRead);
      return { table: false };
    case 'monitor':
      await readMonitors(files, into, onRead);
      return { table: false, unit: 'environment steps' };
    case 'csv':
      await readCsv(file, into, onRead);
      return { table: true };
    default:
      return kind satisfies never;
  }
}

/** The checkpoint of the largest step, whose history has all others'. */
function newest(files: readonly LogFile[]): LogFile {
  const step = ({ path }: LogFile) => Number(/checkpoint-(\d+)/.exec(path)?.[1] ?? 2 ** 53);
  return files.reduce((best, file) => (step(file) > step(best) ? file : best));
}

/** Its folder's name where the file's own says nothing, else the file's. */
function runName(kind: FileKind, file: LogFile): string {
  const folder = folderOf(file);
  const last = folder.slice(folder.lastIndexOf('/') + 1);
  if (kind === 'mlflow') return runOf(file, kind).split('/').at(-1) || 'run';
  const telling = kind !== 'event' && kind !== 'monitor' && !TWICE.test(nameOf(file));
  return telling || last === '' ? nameOf(file) : last;
}
