/** The page's end of the storage that the worker fills. */
import { RunStore } from '../runs/run-store.ts';

let opening: Promise<RunStore> | null = null;

/** @throws {StorageError} where the browser keeps nothing. */
export function runStore(): Promise<RunStore> {
  opening ??= RunStore.open();
  return opening;
}

/** A page that was just reloaded may hold its run for a moment longer. */
const PATIENCE_MS = 600;

/** Whether another tab has a run open. */
export async function openElsewhere(id: string): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const { held = [] } = await navigator.locks.query();
    if (!held.some(({ name }) => name === `palestra-run-${id}`)) return false;
    if (performance.now() > until) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
