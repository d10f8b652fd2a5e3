/** The page's access to stored runs, which the worker writes. */
import { create } from 'zustand';
import { placeName, runLock } from '../../../runs/place.ts';
import { RunStore } from '../../../runs/run-store.ts';

let opening: Promise<RunStore> | null = null;

/** @throws {StorageError} if storage is unavailable or blocked by another page. */
export async function runStore(): Promise<RunStore> {
  opening ??= RunStore.open(placeName(location.href));
  try {
    return await opening;
  } catch (error) {
    // Retry next time.
    opening = null;
    throw error;
  }
}

/** How long to wait for another tab to claim a run, in milliseconds. */
const ANSWER_MS = 1000;
/** On a busy machine a tab may answer, or the worker of a closed page release its lock, seconds later. */
const PATIENCE_MS = 10_000;

/** Channel on which tabs ask each other for a run by id. */
const channel = () => new BroadcastChannel(`${placeName(location.href)} open runs`);

/**
 * There are no locks over plain http. Each tab then notes its run in localStorage and answers when
 * asked. Sleeping tabs do not answer, so the store also rejects rows that do not continue the stored
 * ones.
 */
export const hasLocks = typeof navigator !== 'undefined' && 'locks' in navigator;

/** Prefix of the notes, one key per tab. */
const notes = () => `open run ${placeName(location.href)} `;

/**
 * Answers other tabs that ask for the run of this one.
 *
 * @param subscribe calls its argument whenever the run may have changed
 */
export function answerForRun(
  openRun: () => string | null,
  subscribe: (changed: () => void) => void,
): void {
  const asked = channel();
  asked.onmessage = ({ data }: MessageEvent<{ readonly who?: unknown }>) => {
    if (data.who !== undefined && data.who === openRun()) asked.postMessage({ mine: data.who });
  };
  if (hasLocks) return;
  const key = notes() + Math.random();
  let noted: string | null = null;
  const note = (run: string | null) => {
    if (run === noted) return;
    noted = run;
    try {
      if (run === null) localStorage.removeItem(key);
      else localStorage.setItem(key, run);
    } catch {}
  };
  subscribe(() => note(openRun()));
  addEventListener('pagehide', () => note(null));
  addEventListener('pageshow', () => note(openRun()));
}

/** Keys of the notes of a run; null without localStorage. */
function notesOf(id: string): readonly string[] | null {
  try {
    return Object.keys(localStorage).filter(
      (key) => key.startsWith(notes()) && localStorage.getItem(key) === id,
    );
  } catch {
    return null;
  }
}

/** Whether another tab has a run open; waits for locks of closed pages. */
export async function openElsewhere(id: string): Promise<boolean> {
  if (!hasLocks) {
    const noted = notesOf(id);
    if (noted?.length === 0) return false;
    if (await someoneSaysMine(id, noted === null ? ANSWER_MS : PATIENCE_MS)) return true;
    // A tab that crashed leaves its note.
    for (const key of noted ?? []) localStorage.removeItem(key);
    return false;
  }
  const lock = runLock(placeName(location.href), id);
  const isHeld = async () =>
    ((await navigator.locks.query()).held ?? []).some(({ name }) => name === lock);
  if (!(await isHeld())) return false;
  if (await someoneSaysMine(id, ANSWER_MS)) return true;
  const until = performance.now() + PATIENCE_MS;
  while (await isHeld()) {
    if (performance.now() > until) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

function someoneSaysMine(id: string, patience: number): Promise<boolean> {
  const ask = channel();
  return new Promise<boolean>((resolve) => {
    ask.onmessage = ({ data }: MessageEvent<{ readonly mine?: unknown }>) => {
      if (data.mine === id) resolve(true);
    };
    setTimeout(() => resolve(false), patience);
    ask.postMessage({ who: id });
  }).finally(() => ask.close());
}

/** Whether the browser has granted persistent storage; null until known. */
export const usePersistence = create<{ readonly promised: boolean | null }>()(() => ({
  promised: null,
}));

let asked = false;

/**
 * Requests persistent storage, once per session, when the first run is saved: some browsers prompt the
 * user, who then knows the reason.
 */
export async function askToPersist(): Promise<void> {
  if (asked) return;
  asked = true;
  try {
    const { storage } = navigator;
    usePersistence.setState({ promised: (await storage.persisted()) || (await storage.persist()) });
  } catch {
    // Not available without https.
    usePersistence.setState({ promised: false });
  }
}
