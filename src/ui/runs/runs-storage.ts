/** The page's end of the storage that the worker fills. */
import { create } from 'zustand';
import { placeName, runLock } from '../../runs/place.ts';
import { RunStore } from '../../runs/run-store.ts';

let opening: Promise<RunStore> | null = null;

/** @throws {StorageError} where nothing can be kept, or another page is in the way. */
export async function runStore(): Promise<RunStore> {
  opening ??= RunStore.open(placeName(location.href));
  try {
    return await opening;
  } catch (error) {
    // It may be had the next time.
    opening = null;
    throw error;
  }
}

/** How long a page that lives takes at most to say that a run is its own. */
const ANSWER_MS = 1000;
/** A page that is gone can leave its worker, and so its lock, behind: on a busy machine for seconds. */
const PATIENCE_MS = 10_000;

/** Pages of one place ask each other over this channel, by a run's id, and answer with it. */
const channel = () => new BroadcastChannel(`${placeName(location.href)} open runs`);

/** Says to other tabs that ask which run this one has open. */
export function answerForRun(openRun: () => string | null): void {
  const asked = channel();
  asked.onmessage = ({ data }: MessageEvent<{ readonly who?: unknown }>) => {
    if (data.who !== undefined && data.who === openRun()) asked.postMessage({ mine: data.who });
  };
}

/**
 * Browsers keep locks from pages that come over plain http. There whoever has a run open can only be asked,
 * and a tab that sleeps says nothing; the store refuses what does not follow on what another tab kept.
 */
export const hasLocks = typeof navigator !== 'undefined' && 'locks' in navigator;

/** Whether another tab has a run open; a lock that a page left behind is waited for. */
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

/** Whether the browser has promised not to delete what is kept when its disk gets full; null until that is known. */
export const usePersistence = create<{ readonly promised: boolean | null }>()(() => ({
  promised: null,
}));

/** Looks without asking. */
export async function lookAtPersistence(): Promise<void> {
  const promised = await navigator.storage?.persisted().catch(() => false);
  usePersistence.setState({ promised: promised ?? false });
}

let asked = false;

/**
 * Asks the browser to keep runs until their owner deletes them, once a visit, when the first run is kept:
 * some browsers ask the visitor in turn, who then knows what for.
 */
export async function askToPersist(): Promise<void> {
  if (asked) return;
  asked = true;
  try {
    const { storage } = navigator;
    usePersistence.setState({ promised: (await storage.persisted()) || (await storage.persist()) });
  } catch {
    // A page without https cannot ask, and nothing is promised.
    usePersistence.setState({ promised: false });
  }
}
