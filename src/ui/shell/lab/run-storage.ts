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
/** The worker of a closed page may hold its lock for seconds on a busy machine. */
const PATIENCE_MS = 10_000;

/** Channel on which tabs ask each other for a run by id. */
const channel = () => new BroadcastChannel(`${placeName(location.href)} open runs`);

/** Answers other tabs that ask for the run of this one. */
export function answerForRun(openRun: () => string | null): void {
  const asked = channel();
  asked.onmessage = ({ data }: MessageEvent<{ readonly who?: unknown }>) => {
    if (data.who !== undefined && data.who === openRun()) asked.postMessage({ mine: data.who });
  };
}

/**
 * There are no locks over plain http. Tabs then ask each other, but sleeping tabs do not answer, so the
 * store also rejects rows that do not continue the stored ones.
 */
export const hasLocks = typeof navigator !== 'undefined' && 'locks' in navigator;

/** Whether another tab has a run open; waits for locks of closed pages. */
export async function openElsewhere(id: string): Promise<boolean> {
  if (!hasLocks) return someoneSaysMine(id);
  const lock = runLock(placeName(location.href), id);
  const isHeld = async () =>
    ((await navigator.locks.query()).held ?? []).some(({ name }) => name === lock);
  if (!(await isHeld())) return false;
  if (await someoneSaysMine(id)) return true;
  const until = performance.now() + PATIENCE_MS;
  while (await isHeld()) {
    if (performance.now() > until) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

function someoneSaysMine(id: string): Promise<boolean> {
  const ask = channel();
  return new Promise<boolean>((resolve) => {
    ask.onmessage = ({ data }: MessageEvent<{ readonly mine?: unknown }>) => {
      if (data.mine === id) resolve(true);
    };
    setTimeout(() => resolve(false), ANSWER_MS);
    ask.postMessage({ who: id });
  }).finally(() => ask.close());
}

/** Whether the browser has granted persistent storage; null until known. */
export const usePersistence = create<{ readonly promised: boolean | null }>()(() => ({
  promised: null,
}));

/** Checks without a permission prompt. */
export async function lookAtPersistence(): Promise<void> {
  const promised = await navigator.storage?.persisted().catch(() => false);
  usePersistence.setState({ promised: promised ?? false });
}

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
