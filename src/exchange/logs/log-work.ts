/** What a worker for logs is asked and answers: reading what a visitor opens, writing runs that are kept. */

import { loadEnvironments } from '../../envs/registry.ts';
import { newId } from '../../runs/new-id.ts';
import { RunStore } from '../../runs/run-store.ts';
import { LogError } from './error.ts';
import type { LogFormat } from './formats.ts';
import type { ColumnChoice } from './log.ts';
import { LogStore } from './log-store.ts';
import { type FileGroup, readGroup, recogniseAll } from './read-logs.ts';
import type { FileKind } from './recognise.ts';
import { type ShownLog, shownLog } from './shown-log.ts';
import { blobFile } from './source.ts';
import { type LogOutput, type WrittenRun, writeLog } from './write.ts';

export interface GivenFile {
  /** With the folders it lies in. */
  readonly path: string;
  readonly file: Blob;
}

export type LogRequest =
  | {
      readonly kind: 'read';
      readonly files: readonly GivenFile[];
      /** The name of the page's place, under which logs are kept. */
      readonly place: string;
      /** What a table's columns are; of one file. */
      readonly choice?: ColumnChoice;
      /** The log that is read anew. */
      readonly id?: string;
    }
  | {
      readonly kind: 'write';
      /** Of kept runs. */
      readonly ids: readonly string[];
      readonly place: string;
      readonly format: LogFormat;
    };

export type LogMessage =
  | { readonly kind: 'progress'; readonly read: number; readonly total: number }
  | {
      readonly kind: 'log';
      readonly log: ShownLog;
      readonly paths: readonly string[];
      /** It is a table, whose columns can be chosen. */
      readonly table: boolean;
      /** It will be there after a reload. */
      readonly kept: boolean;
    }
  /** A file that is no log, or is damaged; the sentence goes on after its name. */
  | { readonly kind: 'passed'; readonly path: string; readonly why: string }
  | { readonly kind: 'written'; readonly output: LogOutput }
  /** The last message. */
  | { readonly kind: 'done' }
  | { readonly kind: 'refused' | 'failed'; readonly message: string };

type Post = (message: LogMessage) => void;

/** Answers a request; never rejects. */
export async function answerLogRequest(request: LogRequest, post: Post): Promise<void> {
  try {
    if (request.kind === 'read') await readFiles(request, post);
    else post({ kind: 'written', output: await writeRuns(request) });
    post({ kind: 'done' });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const refused = error instanceof LogError;
    post({
      kind: refused ? 'refused' : 'failed',
      message: refused ? `The files ${message}.` : message,
    });
  }
}

/** Bytes between two messages about how far it is. */
const PROGRESS_BYTES = 2 ** 21;

const tables: ReadonlySet<FileKind> = new Set(['csv', 'object-lines', 'object-list', 'parquet']);

async function readFiles(
  { files, place, choice, id }: Extract<LogRequest, { kind: 'read' }>,
  post: Post,
): Promise<void> {
  const given = files.map(({ path, file }) => blobFile(path, file));
  const { groups, others } = await recogniseAll(given);
  for (const { path, why } of others) post({ kind: 'passed', path, why });
  const total = groups.reduce(
    (sum, group) => sum + group.files.reduce((bytes, { size }) => bytes + size, 0),
    0,
  );
  let [read, told] = [0, 0];
  const onRead = (bytes: number) => {
    read += bytes;
    if (read - told < PROGRESS_BYTES) return;
    told = read;
    post({ kind: 'progress', read, total });
  };
  post({ kind: 'progress', read, total });
  const store = await LogStore.open(place).catch(() => null);
  for (const group of groups) await readOne(group);
  store?.close();

  async function readOne(group: FileGroup): Promise<void> {
    const paths = group.files.map(({ path }) => path);
    try {
      // The settings of a run of this project are checked by making what they name.
      if (group.kind === 'palestra-rows' || group.kind === 'run-file') await loadEnvironments();
      for (const run of await readGroup(group, onRead, choice)) {
        const log = shownLog(run, id ?? newId(), Date.now());
        const kept = await keep(log);
        post({ kind: 'log', log, paths, table: tables.has(group.kind), kept });
      }
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      post({ kind: 'passed', path: paths[0] ?? '', why: error.message });
    }
  }

  /** Whether there is room for it. */
  async function keep(log: ShownLog): Promise<boolean> {
    try {
      await store?.remove(log.entry.id);
      await store?.save(log);
      return store !== null;
    } catch {
      return false;
    }
  }
}

async function writeRuns({
  ids,
  place,
  format,
}: Extract<LogRequest, { kind: 'write' }>): Promise<LogOutput> {
  const store = await RunStore.open(place);
  const runs: WrittenRun[] = [];
  for (const id of ids) {
    const kept = await store.read(id);
    if (kept === null) continue;
    const rows = kept.rows.map(({ metrics, evaluation }) => ({
      ...metrics,
      ...evaluation?.metrics,
    }));
    runs.push({ name: kept.entry.name, rows, began: kept.entry.created / 1000 });
  }
  await store.close();
  return writeLog(runs, format);
}

/** Memory of a message that goes over to the page without being copied. */
export function transferredOf(message: LogMessage): ArrayBuffer[] {
  if (message.kind === 'written') return [message.output.bytes.buffer];
  if (message.kind !== 'log') return [];
  const buffers = message.log.series.flatMap(({ x, y }) => [x.buffer, y.buffer]);
  return [...new Set(buffers)].filter((buffer) => buffer instanceof ArrayBuffer);
}
