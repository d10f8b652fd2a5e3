/**
 * Requests and answers of the log worker: reading logs that the user opens, and saving the metrics
 * of stored runs.
 */

import { loadEnvironments } from '../../envs/registry.ts';
import { newId } from '../../runs/new-id.ts';
import { RunStore } from '../../runs/run-store.ts';
import { LogError } from './error.ts';
import type { LogFormat } from './formats.ts';
import type { ColumnChoice } from './log.ts';
import { LogStore } from './log-store.ts';
import { type FileGroup, readGroup, recognizeAll } from './read-logs.ts';
import { readerOf } from './readers.ts';
import { type ShownLog, shownLog } from './shown-log.ts';
import { blobFile, reportedReading } from './source.ts';
import { type LogOutput, type WrittenRun, writeLog } from './write.ts';

export interface GivenFile {
  /** Including its folders. */
  readonly path: string;
  readonly file: Blob;
}

export type LogRequest =
  | {
      readonly kind: 'read';
      readonly files: readonly GivenFile[];
      /** Storage prefix of the page, under which logs are stored. */
      readonly place: string;
      /** Column assignment of a table; only for a single file. */
      readonly choice?: ColumnChoice;
      /** The log to read again. */
      readonly id?: string;
    }
  | {
      readonly kind: 'write';
      /** Ids of stored runs. */
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
      /** Whether it is a table whose columns can be assigned. */
      readonly table: boolean;
      /** Whether it was stored, and so survives a reload. */
      readonly kept: boolean;
    }
  /** A file that is not a log or is damaged; `why` completes a sentence that begins with its name. */
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

async function readFiles(
  { files, place, choice, id }: Extract<LogRequest, { kind: 'read' }>,
  post: Post,
): Promise<void> {
  const given = files.map(({ path, file }) => blobFile(path, file));
  const { groups, others } = await recognizeAll(given);
  for (const { path, why } of others) post({ kind: 'passed', path, why });
  const onRead = reportedReading(
    groups.flatMap((group) => group.files),
    (read, total) => post({ kind: 'progress', read, total }),
  );
  const store = await LogStore.open(place).catch(() => null);
  for (const group of groups) await readOne(group);
  store?.close();

  async function readOne(group: FileGroup): Promise<void> {
    const paths = group.files.map(({ path }) => path);
    const { own = false, table = false } = readerOf(group.kind);
    try {
      // Checking the settings of a Palestra run creates its environments.
      if (own) await loadEnvironments();
      for (const run of await readGroup(group, onRead, choice)) {
        const log = shownLog(run, id ?? newId(), Date.now());
        const kept = await keep(log);
        post({ kind: 'log', log, paths, table, kept });
      }
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      post({ kind: 'passed', path: paths[0] ?? '', why: error.message });
    }
  }

  /** Whether it could be stored. */
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

/** Buffers of a message to transfer to the page instead of copying. */
export function transferredOf(message: LogMessage): ArrayBuffer[] {
  if (message.kind === 'written') return [message.output.bytes.buffer];
  if (message.kind !== 'log') return [];
  const buffers = message.log.series.flatMap(({ x, y }) => [x.buffer, y.buffer]);
  return [...new Set(buffers)].filter((buffer) => buffer instanceof ArrayBuffer);
}
