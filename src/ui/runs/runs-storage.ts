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

/** A page that was just reloaded may hold its run for a moment longer. */
const PATIENCE_MS = 600;

/** Whether another tab has a run open. */
export async function openElsewhere(id: string): Promise<boolean> {
  const lock = runLock(placeName(location.href), id);
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const { held = [] } = await navigator.locks.query();
    if (!held.some(({ name }) => name === lock)) return false;
    if (performance.now() > until) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
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
