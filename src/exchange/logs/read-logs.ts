/** Reads logs of any supported tool: files and folders in, runs out. */

import { foreignLimits } from '../../files/log-limits.ts';
import { LogError } from './error.ts';
import type { ColumnChoice, RunLog } from './log.ts';
import { type FileKind, readerOf } from './readers.ts';
import { recognize } from './recognize.ts';
import { folderOf, type LogFile, nameOf, type OnRead } from './source.ts';

/** Files of one run and one kind, ordered by name. */
export interface FileGroup {
  readonly kind: FileKind;
  readonly files: readonly LogFile[];
  /** Files with less information on the same run, used only if `files` cannot be read. */
  readonly spare?: FileGroup;
}

interface Recognized {
  readonly groups: readonly FileGroup[];
  /** Files that are not logs, with the reason. */
  readonly others: readonly OtherFile[];
}

interface OtherFile {
  readonly path: string;
  /** Completes a sentence that begins with the path. */
  readonly why: string;
  /** Whether it may be a log, but could not be read. */
  readonly unreadable?: true;
}

/** Names of files to which Stable-Baselines3 and RLlib write the same numbers. */
const TWICE = /^(progress\.(csv|json)|result\.json|log\.txt)$/;

/**
 * Groups files into runs.
 *
 * @throws {LogError} above the limits
 */
export async function recognizeAll(files: readonly LogFile[]): Promise<Recognized> {
  if (files.length > foreignLimits.files) {
    throw new LogError(`exceed the limit of ${foreignLimits.files}: there are ${files.length}`);
  }
  const groups = new Map<string, { kind: FileKind; files: LogFile[] }>();
  const others: OtherFile[] = [];
  let bytes = 0;
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const found = await placeIn(file);
    if ('why' in found) {
      others.push({ path: file.path, ...found });
      continue;
    }
    bytes += file.size;
    const { kind, id } = found;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, { kind, files: [file] });
    else group.files.push(file);
  }
  // Checkpoints and other files beside the logs are not read, so their size does not count.
  if (bytes > foreignLimits.bytes) {
    throw new LogError(`have ${bytes} bytes in total; the limit is ${foreignLimits.bytes}`);
  }
  return { groups: withSpares(once([...groups.values()], others), others), others };
}

/** The kind of a file and the id of its run, or why it is not a log. */
async function placeIn(
  file: LogFile,
): Promise<{ readonly kind: FileKind; readonly id: string } | Omit<OtherFile, 'path'>> {
  try {
    const kind = await recognize(file);
    if (typeof kind !== 'string') return kind;
    const { folder, part } = readerOf(kind);
    const id = `${kind} ${folder?.(file) ?? file.path} ${(await part?.(file)) ?? ''}`;
    return { kind, id };
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    return { why: error.message, unreadable: true };
  }
}

/** Files that W&B writes beside its own in a run folder. */
const BESIDE_WANDB = /^(output\.log|wandb-history\.jsonl)$/;

/** Event files that `train --log` writes beside `rows.jsonl`. */
const BESIDE_ROWS = /^events\.out\.tfevents\.\d+\.palestra\./;

/** The group with more information on the run of this one, if the folder has one. */
function fullerThan(
  { files: [file] }: FileGroup,
  groups: readonly FileGroup[],
): FileGroup | undefined {
  if (file === undefined) return undefined;
  const inFolder = (wanted: FileKind, folder: string, name?: string) =>
    groups.find(
      ({ kind, files: [other] }) =>
        kind === wanted &&
        other !== undefined &&
        folderOf(other) === folder &&
        (name === undefined || nameOf(other) === name),
    );
  if (BESIDE_WANDB.test(nameOf(file))) {
    return inFolder('wandb', folderOf(file).replace(/(^|\/)files$/, ''));
  }
  // Event files lack the settings.
  if (BESIDE_ROWS.test(nameOf(file)))
    return inFolder('palestra-rows', folderOf(file), 'rows.jsonl');
  return undefined;
}

/** Makes groups with less information on a run the spares of those with more. */
function withSpares(groups: readonly FileGroup[], others: OtherFile[]): readonly FileGroup[] {
  const spares = new Map<FileGroup, FileGroup>();
  const left = new Set<FileGroup>();
  for (const group of groups) {
    const fuller = fullerThan(group, groups);
    if (fuller === undefined) continue;
    spares.set(fuller, group);
    left.add(group);
    const why = `duplicates ${fuller.files[0]?.path}`;
    others.push(...group.files.map(({ path }) => ({ path, why })));
  }
  return groups
    .filter((group) => !left.has(group))
    .map((group) => {
      const spare = spares.get(group);
      return spare === undefined ? group : { ...group, spare };
    });
}

/** Drops files whose content is also in another file of the folder. */
function once(groups: readonly FileGroup[], others: OtherFile[]): readonly FileGroup[] {
  return groups.filter((group) => {
    const [file] = group.files;
    const { rank } = readerOf(group.kind);
    if (file === undefined || rank === undefined || !TWICE.test(nameOf(file))) return true;
    const fuller = groups.find(
      ({ kind, files: [other] }) =>
        other !== undefined &&
        folderOf(other) === folderOf(file) &&
        (TWICE.test(nameOf(other)) || kind === 'event') &&
        (readerOf(kind).rank ?? Number.POSITIVE_INFINITY) < rank,
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
  const { title, read } = readerOf(kind);
  return read({
    ...{ files, file, format: title, name: runName(kind, file), onRead },
    ...(choice === undefined ? {} : { choice }),
  });
}

/** The folder's name if the file's name is generic, else the file's name. */
function runName(kind: FileKind, file: LogFile): string {
  const { folder = folderOf, namedByFolder = false } = readerOf(kind);
  const last = folder(file).split('/').at(-1) ?? '';
  const telling = !namedByFolder && !TWICE.test(nameOf(file));
  return telling || last === '' ? nameOf(file) : last;
}
