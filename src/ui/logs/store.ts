/** Logs of other tools as the page knows them: read in a worker, kept by it, shown here. */

import { create } from 'zustand';
import type { ColumnChoice } from '../../exchange/logs/log.ts';
import { LogStore } from '../../exchange/logs/log-store.ts';
import type { GivenFile, LogMessage, LogRequest } from '../../exchange/logs/log-work.ts';
import type { LogEntry, ShownLog } from '../../exchange/logs/shown-log.ts';
import { holdSweep } from '../../exchange/sweeps/recognise.ts';
import { sweepLimits } from '../../files/sweep-limits.ts';

import { placeName } from '../../runs/place.ts';
import { openLogsPanel } from './wanted.ts';
import { askLogWorker } from './worker.ts';

/** A log that was opened in this visit, whose file can be read anew. */
interface Source {
  readonly files: readonly GivenFile[];
  readonly table: boolean;
}

export interface LogsState {
  /** Null until they have been read. */
  readonly entries: readonly LogEntry[] | null;
  readonly shown: ShownLog | null;
  /** Bytes; null where nothing is being read. */
  readonly reading: { readonly read: number; readonly total: number } | null;
  /** What could not be read, or kept, a sentence each. */
  readonly problems: readonly string[];
  /** By the logs' ids. */
  readonly sources: ReadonlyMap<string, Source>;
  /** The columns of the shown log are being chosen. */
  readonly choosing: boolean;
}

export const useLogs = create<LogsState>()(() => ({
  entries: null,
  shown: null,
  reading: null,
  problems: [],
  sources: new Map(),
  choosing: false,
}));

const place = () => placeName(location.href);

export async function refreshLogs(): Promise<void> {
  try {
    const store = await LogStore.open(place());
    useLogs.setState({ entries: await store.list() });
    store.close();
  } catch {
    // A browser that keeps nothing has none.
    useLogs.setState({ entries: [] });
  }
}

let worker: Worker | null = null;

/** Ends what is being read. */
export function stopReading(): void {
  worker?.terminate();
  worker = null;
  useLogs.setState({ reading: null });
}

const problem = (sentence: string) =>
  useLogs.setState(({ problems }) => ({ problems: [...problems, sentence].slice(-20) }));

/** Reads files; those that are logs stand in the runs table, and the first one is shown. */
export function readLogs(
  files: readonly GivenFile[],
  anew?: { id: string; choice: ColumnChoice },
): void {
  openLogsPanel(true);
  useLogs.setState({ problems: [], choosing: false });
  let first = true;
  const request: LogRequest = { kind: 'read', files, place: place(), ...anew };
  stopReading();
  const asked = askLogWorker(request, take, () => {
    if (worker === asked) stopReading();
  });
  worker = asked;

  function take(message: LogMessage): void {
    switch (message.kind) {
      case 'progress':
        useLogs.setState({ reading: message });
        return;
      case 'log':
        taken(message, files, first && anew === undefined);
        first = false;
        return;
      case 'passed':
        problem(`${message.path} ${message.why}.`);
        return;
      case 'refused':
      case 'failed':
        problem(message.message);
        return;
      case 'done':
        if (first && files.length > 0 && useLogs.getState().problems.length === 0) {
          problem('No log was found in it.');
        }
        return;
      case 'written':
        return;
      default:
        message satisfies never;
    }
  }
}

function taken(
  { log, paths, table, kept }: Extract<LogMessage, { kind: 'log' }>,
  files: readonly GivenFile[],
  show: boolean,
): void {
  const { entry } = log;
  if (!kept)
    problem(`${entry.name} is not kept: the browser has no room for it, or keeps nothing.`);
  const source = { files: files.filter(({ path }) => paths.includes(path)), table };
  useLogs.setState(({ entries, shown, sources }) => ({
    entries: [entry, ...(entries ?? []).filter(({ id }) => id !== entry.id)],
    sources: new Map(sources).set(entry.id, source),
    ...(show || shown?.entry.id === entry.id ? { shown: log } : {}),
    // Nothing in it is known, so whoever opened it says what is what.
    ...(show ? { choosing: table && entry.rows === 0 } : {}),
  }));
}

/** Shows a kept log. */
export async function showLog(id: string): Promise<void> {
  openLogsPanel(true);
  useLogs.setState({ choosing: false, problems: [] });
  if (useLogs.getState().shown?.entry.id === id) return;
  useLogs.setState({ shown: null });
  try {
    const store = await LogStore.open(place());
    const shown = await store.read(id);
    store.close();
    if (shown === null) problem('This log is not kept any more.');
    useLogs.setState({ shown });
  } catch {
    problem('This log could not be read from where the browser keeps it.');
  }
}

export async function removeLog(id: string): Promise<void> {
  const store = await LogStore.open(place());
  await store.remove(id);
  store.close();
  if (useLogs.getState().shown?.entry.id === id) useLogs.setState({ shown: null });
  await refreshLogs();
}

/** Reads the shown log anew, with its columns as they were chosen. */
export function chooseColumns(choice: ColumnChoice): void {
  const { shown, sources } = useLogs.getState();
  const source = shown === null ? undefined : sources.get(shown.entry.id);
  if (shown === null || source === undefined) return;
  readLogs(source.files, { id: shown.entry.id, choice });
}

/** Files and folders that were dropped: a kept run, a sweep, or logs. */
export async function openDropped(
  entries: readonly FileSystemEntry[],
  files: readonly File[],
): Promise<void> {
  const found: GivenFile[] = [];
  if (entries.length === 0) found.push(...files.map(given));
  else for (const entry of entries) await collect(entry, found);
  const [only] = found;
  if (await holdSweep(found)) {
    const { showSweep } = await import('../sweeps/store.ts');
    await showSweep(found);
    return;
  }
  if (found.length === 1 && only !== undefined && only.path.endsWith('.palestra.zip')) {
    const [{ importRun }, { openRuns }] = await Promise.all([
      import('../runs/store.ts'),
      import('../runs/runs-store.ts'),
    ]);
    openRuns(true);
    await importRun(new File([only.file], only.path));
    return;
  }
  readLogs(found);
}

/** A file that was chosen, with its folders where a folder was. */
export const given = (file: File): GivenFile => ({
  path: file.webkitRelativePath || file.name,
  file,
});

/** More than this no reader takes; the worker says so. */
const MOST_FILES = sweepLimits.files + 1;

async function collect(entry: FileSystemEntry, into: GivenFile[]): Promise<void> {
  if (into.length >= MOST_FILES) return;
  const path = entry.fullPath.replace(/^\//, '');
  if (isFile(entry)) {
    const file = await new Promise<File | null>((resolve) =>
      entry.file(resolve, () => resolve(null)),
    );
    if (file === null) problem(`${path} cannot be read.`);
    else into.push({ path, file });
    return;
  }
  if (!isFolder(entry)) return;
  const reader = entry.createReader();
  // A folder is told of in parts, the last of which is empty.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve) =>
      reader.readEntries(resolve, () => resolve([])),
    );
    if (part.length === 0) return;
    for (const one of part) if (!one.name.startsWith('.')) await collect(one, into);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
