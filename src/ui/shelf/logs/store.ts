/** Logs of other tools: read and stored by a worker. */

import { create } from 'zustand';
import type { ColumnChoice } from '../../../exchange/logs/log.ts';
import { LogStore } from '../../../exchange/logs/log-store.ts';
import type { GivenFile, LogMessage, LogRequest } from '../../../exchange/logs/log-work.ts';
import type { LogEntry, ShownLog } from '../../../exchange/logs/shown-log.ts';
import { holdSweep } from '../../../exchange/sweeps/recognize.ts';
import { sweepLimits } from '../../../files/sweep-limits.ts';
import { newId } from '../../../runs/new-id.ts';
import { placeName } from '../../../runs/place.ts';
import { collect, given } from '../../shell/files/folders.ts';
import { showDrawer } from '../drawers.ts';
import { useLogView } from './log-view.ts';
import { askLogWorker } from './worker.ts';

/** A log opened in this session, whose file can be read again. */
interface Source {
  readonly files: readonly GivenFile[];
  readonly table: boolean;
  /** The columns that the user assigned. */
  readonly choice?: ColumnChoice;
}

interface LogsState {
  /** Null until loaded. */
  readonly entries: readonly LogEntry[] | null;
  readonly shown: ShownLog | null;
  /** Progress in bytes, or null. */
  readonly reading: { readonly read: number; readonly total: number } | null;
  /** Problems, one sentence each. */
  readonly problems: readonly string[];
  /** By log id. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Whether the column dialog is open. */
  readonly choosing: boolean;
  /** Logs that were opened in this session, in their order. */
  readonly opened: readonly string[];
  /** The id of a log whose file is followed. */
  readonly following: string | null;
  /** Titles of findings that appeared while a file was followed. */
  readonly alerts: readonly string[];
}

export const useLogs = create<LogsState>()(() => ({
  entries: null,
  shown: null,
  reading: null,
  problems: [],
  sources: new Map(),
  choosing: false,
  opened: [],
  following: null,
  alerts: [],
}));

const place = () => placeName(location.href);

export async function refreshLogs(): Promise<void> {
  try {
    const store = await LogStore.open(place());
    useLogs.setState({ entries: await store.list() });
    store.close();
  } catch {
    // Storage is unavailable.
    useLogs.setState({ entries: [] });
  }
}

let worker: Worker | null = null;

/** Number of requests to show a log; a stored log that is read more slowly than a later one is dropped. */
let shows = 0;
/** The same for overlaid logs. */
let overlays = 0;

/** Cancels reading. */
export function stopReading(): void {
  worker?.terminate();
  worker = null;
  useLogs.setState({ reading: null });
}

const problem = (sentence: string) =>
  useLogs.setState(({ problems }) => ({ problems: [...problems, sentence].slice(-20) }));

/** A stored log to replace, with columns that the user assigned. */
interface Reread {
  readonly id: string;
  readonly choice?: ColumnChoice;
}

/**
 * Reads files and adds their logs to the runs table. Shows the first log, unless the files replace
 * a stored one.
 */
function readLogs(files: readonly GivenFile[], reread?: Reread): void {
  if (reread === undefined) {
    shows++;
    showDrawer('log');
    stopFollowing();
    useLogs.setState({ choosing: false });
  }
  useLogs.setState({ problems: [] });
  let first = true;
  const request: LogRequest = { kind: 'read', files, place: place(), ...reread };
  stopReading();
  const started = askLogWorker(request, receive, () => {
    if (worker === started) stopReading();
  });
  worker = started;

  function receive(message: LogMessage): void {
    switch (message.kind) {
      case 'progress':
        useLogs.setState({ reading: message });
        return;
      case 'log':
        addLog(message, files, first && reread === undefined, reread?.choice);
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
          problem('No log found.');
        }
        return;
      case 'written':
        return;
      default:
        message satisfies never;
    }
  }
}

/**
 * Adds a log to the table, or replaces it there.
 *
 * @param show whether to show it even if another log is shown
 */
function addLog(
  { log, paths, table, kept }: Extract<LogMessage, { kind: 'log' }>,
  files: readonly GivenFile[],
  show: boolean,
  choice?: ColumnChoice,
): void {
  const { entry } = log;
  if (!kept) problem(`${entry.name} could not be saved: browser storage is full or unavailable.`);
  const source = {
    files: files.filter(({ path }) => paths.includes(path)),
    table,
    ...(choice && { choice }),
  };
  useLogs.setState(({ entries, shown, sources, opened, following, alerts }) => ({
    opened: opened.includes(entry.id) ? opened : [...opened, entry.id],
    alerts:
      following === entry.id && shown?.entry.id === entry.id
        ? [...alerts, ...newFindings(shown.entry, entry)]
        : alerts,
    entries: [entry, ...(entries ?? []).filter(({ id }) => id !== entry.id)],
    sources: new Map(sources).set(entry.id, source),
    ...(show || shown === null || shown.entry.id === entry.id ? { shown: log } : {}),
    // No known columns, so the user assigns them.
    ...(show ? { choosing: table && entry.rows === 0 } : {}),
  }));
}

const newFindings = (before: LogEntry, now: LogEntry): readonly string[] =>
  now.findings.findings
    .filter(({ mode }) => !before.findings.findings.some((one) => one.mode === mode))
    .map(({ title }) => title);

/**
 * Maximum number of files passed on: one more than the readers accept, so that the worker reports the
 * excess.
 */
const MOST_FILES = sweepLimits.files + 1;

/** Polling interval of a followed log, in milliseconds. */
const POLL_MS = 1000;

let nextPoll: ReturnType<typeof setTimeout> | undefined;

export function stopFollowing(): void {
  clearTimeout(nextPoll);
  useLogs.setState({ following: null });
}

/** A file handle of the File System Access API. */
interface PickedFile {
  readonly name: string;
  readonly getFile: () => Promise<File>;
}

/** Whether the browser can reread a file as it grows. */
export const canFollow = (): boolean => 'showOpenFilePicker' in globalThis;

/** Lets the user pick a file and rereads it after each change, until another log is opened. */
export async function followFile(): Promise<void> {
  const picker = Reflect.get(globalThis, 'showOpenFilePicker') as () => Promise<PickedFile[]>;
  let picked: PickedFile | undefined;
  try {
    [picked] = await picker.call(globalThis);
  } catch (error) {
    // The user closed the dialog.
    if (error instanceof DOMException && error.name === 'AbortError') return;
    throw error;
  }
  if (picked === undefined) return;
  const handle = picked;
  let known: { readonly size: number; readonly at: number } | null = null;
  await follow(async () => {
    let file: File;
    try {
      file = await handle.getFile();
    } catch {
      // The file may be missing while its writer rotates logs.
      return null;
    }
    if (known?.size === file.size && known.at === file.lastModified) return null;
    known = { size: file.size, at: file.lastModified };
    return { path: file.name, file };
  });
}

/** Rereads the log at an address after each change, until another log is opened. */
export async function followAddress(address: string): Promise<void> {
  const { GrowingUrl } = await import('../../../exchange/logs/growing.ts');
  let first = true;
  showDrawer('log');
  useLogs.setState({ problems: [] });
  try {
    const growing = new GrowingUrl(new URL(address, location.href).href);
    await follow(async () => {
      try {
        const growth = await growing.poll();
        if (growth === 'absent' && first) throw new Error('was not found');
        first = false;
        if (growth === 'same' || growth === 'absent') return null;
      } catch (error) {
        // The server may come back.
        if (first) throw error;
        return null;
      }
      const [file] = growing.files();
      if (file === undefined) return null;
      const bytes = await file.read(0, file.size);
      return { path: file.path, file: new Blob([Uint8Array.from(bytes)]) };
    });
  } catch (error) {
    stopFollowing();
    const why = error instanceof Error ? error.message : String(error);
    problem(`${address} ${error instanceof TypeError ? 'is not a valid address' : why}.`);
  }
}

/**
 * Polls a log and rereads it after each change, until another log is opened.
 *
 * @param poll returns the changed file; null if there is no change
 * @throws the error of the first poll
 */
async function follow(poll: () => Promise<GivenFile | null>): Promise<void> {
  const id = newId();
  let first = true;
  shows++;
  stopFollowing();
  showDrawer('log');
  useLogs.setState({ following: id, alerts: [], problems: [], choosing: false });
  const pollOnce = async () => {
    const { following, reading } = useLogs.getState();
    if (following !== id) return;
    // Skip this poll while the log is still being read.
    const found = reading === null ? await poll() : null;
    if (useLogs.getState().following !== id) return;
    if (found !== null) {
      if (first) useLogs.setState({ shown: null });
      first = false;
      const choice = useLogs.getState().sources.get(id)?.choice;
      if (found.file.size > 0) readLogs([found], { id, ...(choice && { choice }) });
    }
    nextPoll = setTimeout(() => void pollOnce(), POLL_MS);
  };
  await pollOnce();
}

/** Shows a stored log. */
export async function showLog(id: string): Promise<void> {
  const request = ++shows;
  showDrawer('log');
  useLogs.setState({ choosing: false, problems: [] });
  if (useLogs.getState().shown?.entry.id === id) return;
  useLogs.setState(({ opened }) => ({
    shown: null,
    opened: opened.includes(id) ? opened : [...opened, id],
  }));
  try {
    const store = await LogStore.open(place());
    const shown = await store.read(id);
    store.close();
    if (request !== shows) return;
    if (shown === null) problem('This log is no longer stored.');
    useLogs.setState({ shown });
  } catch {
    if (request === shows) problem('This log could not be read from browser storage.');
  }
}

export async function removeLog(id: string): Promise<void> {
  if (useLogs.getState().following === id) {
    stopFollowing();
    stopReading();
  }
  const store = await LogStore.open(place());
  await store.remove(id);
  store.close();
  useLogs.setState(({ opened }) => ({ opened: opened.filter((one) => one !== id) }));
  if (useLogs.getState().shown?.entry.id === id) useLogs.setState({ shown: null });
  await refreshLogs();
}

/** Rereads the shown log with the assigned columns. */
export function chooseColumns(choice: ColumnChoice): void {
  const { shown, sources } = useLogs.getState();
  const source = shown === null ? undefined : sources.get(shown.entry.id);
  if (shown === null || source === undefined) return;
  useLogs.setState({ choosing: false });
  readLogs(source.files, { id: shown.entry.id, choice });
}

/** Opens dropped files and folders: a run, a sweep, or logs. */
export async function openDropped(
  entries: readonly FileSystemEntry[],
  files: readonly File[],
): Promise<void> {
  const found: GivenFile[] = [];
  if (entries.length === 0) found.push(...files.map(given));
  else await collect(entries, found, MOST_FILES, (path) => problem(`${path} cannot be read.`));
  const [only] = found;
  if (await holdSweep(found)) {
    const { showSweep } = await import('../sweeps/store.ts');
    await showSweep(found);
    return;
  }
  if (found.length === 1 && only !== undefined && only.path.endsWith('.palestra.zip')) {
    const { importRun } = await import('../runs/store.ts');
    showDrawer('runs');
    await importRun(new File([only.file], only.path));
    return;
  }
  await openGiven(found);
}

/** Opens logs and files of episodes. */
export async function openGiven(found: readonly GivenFile[]): Promise<void> {
  const { episodeFiles, openEpisodes } = await import('../episodes/store.ts');
  const episodes = await episodeFiles(found);
  if (episodes.length > 0) openEpisodes(episodes);
  const logs = found.filter((one) => !episodes.includes(one));
  if (logs.length > 0) readLogs(logs);
}

/** Overlays a stored log's curves on those of the shown log; null removes them. */
export async function overlayLog(id: string | null): Promise<void> {
  const request = ++overlays;
  const shownId = () => useLogs.getState().shown?.entry.id;
  const of = shownId();
  // Another log may be shown meanwhile, or another one overlaid.
  const isLatest = () => request === overlays && shownId() === of;
  if (id === null) {
    useLogView.setState({ beside: null });
    return;
  }
  try {
    const store = await LogStore.open(place());
    const beside = await store.read(id);
    store.close();
    if (isLatest()) useLogView.setState({ beside });
  } catch {
    if (isLatest()) problem('This log could not be read from browser storage.');
  }
}
