/** Reads logs of any supported tool: files and folders in, runs out. */

import { foreignLimits } from '../../files/log-limits.ts';
import { readDictConsole, readTableConsole, readVerlConsole } from './console.ts';
import { toolOf } from './counterparts.ts';
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

/** Files of one run and one kind, ordered by name. */
export interface FileGroup {
  readonly kind: FileKind;
  readonly files: readonly LogFile[];
  /** Contains less about the same run; used only if these files cannot be read. */
  readonly spare?: FileGroup;
}

export interface Recognised {
  readonly groups: readonly FileGroup[];
  /** Files that are not logs, with the reason. */
  readonly others: readonly { readonly path: string; readonly why: string }[];
}

/** If several files of a folder describe one run, the most complete one is read. */
const better: Readonly<Partial<Record<FileKind, number>>> = {
  'object-lines': 1,
  csv: 2,
  'table-console': 3,
};
/** Names under which Stable-Baselines3 and RLlib write the same numbers two or three times. */
const TWICE = /^(progress\.(csv|json)|result\.json|log\.txt)$/;

/**
 * Groups files into runs.
 *
 * @throws {LogError} above the limits
 */
export async function recogniseAll(files: readonly LogFile[]): Promise<Recognised> {
  if (files.length > foreignLimits.files) {
    throw new LogError(`are ${files.length}; the limit is ${foreignLimits.files}`);
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > foreignLimits.bytes) {
    throw new LogError(`have ${bytes} bytes in total; the limit is ${foreignLimits.bytes}`);
  }
  const groups = new Map<string, { kind: FileKind; files: LogFile[] }>();
  const others: { path: string; why: string }[] = [];
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const kind = await recognise(file);
    if (typeof kind !== 'string') {
      others.push({ path: file.path, why: kind.why });
      continue;
    }
    // Event files of one folder belong to one run, unless different tools wrote them.
    const tool = kind === 'event' ? await toolOfEvents(file) : '';
    const id = `${runOf(file, kind)} ${tool}`;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, { kind, files: [file] });
    else group.files.push(file);
  }
  return { groups: onceOfWandb(once([...groups.values()], others), others), others };
}

/** Number of bytes of an event file searched for its first names. */
const EVENT_HEAD = 2 ** 17;

/** The tool that wrote an event file, by the tags in its first records. */
async function toolOfEvents(file: LogFile): Promise<string> {
  const head = await file.read(0, Math.min(file.size, EVENT_HEAD));
  const text = new TextDecoder('latin1').decode(head);
  // Without the bound, a long word would be searched again from each of its letters.
  return toolOf(text.match(/[a-z][\w-]{0,99}(?:\/[\w@.-]+)+/gi) ?? []);
}

/** Files that W&B writes beside its own in a run folder. */
const BESIDE_WANDB = /^(output\.log|wandb-history\.jsonl)$/;

/** A W&B run folder also contains the console output; W&B's own file is more complete. */
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
    others.push({ path: file.path, why: `duplicates ${own.files[0]?.path}` });
  }
  const left = new Set(spares.values());
  return groups
    .filter((group) => !left.has(group))
    .map((group) => {
      const spare = spares.get(group);
      return spare === undefined ? group : { ...group, spare };
    });
}

/** Drops files whose content is also in another file of the folder. */
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
    others.push({ path: file.path, why: `duplicates ${fuller.files[0]?.path}` });
    return false;
  });
}

/**
 * Reads the runs of one group.
 *
 * @param choice the user's assignment of a table's columns
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
    const note = `${files[0]?.path} ${error.message}; ${spare.files[0]?.path} is read instead.`;
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
      return {
        ...assemble({ name, format, gathered, table: false, unit: chartUnit(unit) }),
        part: 'named',
      };
    });
  }
  if (kind === 'dict-console') {
    const all = (await readDictConsole(file, onRead)).filter(({ size }) => size > 0);
    if (all.length === 0) throw new LogError('has no measurements');
    return all.map((gathered, i) => ({
      ...assemble({
        name: all.length === 1 ? runName(kind, file) : `${runName(kind, file)}, run ${i + 1}`,
        ...{ format, gathered, table: false, unit: 'logged rows' },
      }),
      ...(all.length === 1 ? {} : { part: `run ${i + 1} of ${all.length}` }),
    }));
  }
  const gathered = new Gathered();
  const how = await readOne(kind, files, file, gathered, onRead);
  if (gathered.size === 0) throw new LogError('has no measurements');
  const name = runName(kind, file);
  return [
    assemble({ name, format, gathered, ...how, ...(choice === undefined ? {} : { choice }) }),
  ];
}

/** The unit of a W&B step name. */
function chartUnit(column: string): string {
  if (column === 'Step') return 'logged rows';
  if (column === 'training/global_step') return 'iterations';
  return /global_step$/.test(column) ? 'steps' : column;
}

async function readOne(
  kind: Exclude<FileKind, 'chart-export' | 'dict-console' | 'palestra-rows' | 'run-file'>,
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
      return { table: false, unit: 'optimizer steps' };
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

/** The checkpoint with the largest step, whose history is complete. */
function newest(files: readonly LogFile[]): LogFile {
  const step = ({ path }: LogFile) => Number(/checkpoint-(\d+)/.exec(path)?.[1] ?? 2 ** 53);
  return files.reduce((best, file) => (step(file) > step(best) ? file : best));
}

/** The folder's name if the file's says nothing, else the file's. */
function runName(kind: FileKind, file: LogFile): string {
  const folder = folderOf(file);
  const last = folder.slice(folder.lastIndexOf('/') + 1);
  if (kind === 'mlflow') return runOf(file, kind).split('/').at(-1) || 'run';
  const telling = kind !== 'event' && kind !== 'monitor' && !TWICE.test(nameOf(file));
  return telling || last === '' ? nameOf(file) : last;
}
