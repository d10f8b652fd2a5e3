/**
 * Lazy chunks of the page. After a new release they may be gone from the server; the user then sees one
 * notice, and a reload opens the new version and resumes the run.
 */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { create } from 'zustand';
import { goOnAfterReload } from '../browser/go-on.ts';
import { pauseRun } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';

interface ReleaseState {
  /** Why a chunk is missing, or null. */
  readonly missing: 'release' | 'network' | null;
  /** A reload was requested, and the run is being saved. */
  readonly saving: boolean;
}

export const useRelease = create<ReleaseState>()(() => ({ missing: null, saving: false }));

/** Vite fires this event when a chunk or its style sheet cannot be loaded. */
export function watchForMissingParts(): void {
  addEventListener('vite:preloadError', () => void noteMissing());
}

async function noteMissing(): Promise<void> {
  const reached = await fetch('./', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
  useRelease.setState({ missing: reached ? 'release' : 'network' });
}

/** A lazily loaded component; renders nothing if it cannot be loaded. */
export function loadedLater<Props = object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    try {
      return { default: await load() };
    } catch (error) {
      console.error(error);
      void noteMissing();
      return { default: Nothing };
    }
  });
}

const Nothing = () => null;

/**
 * Longest wait for a run to be saved before a reload; iterations not saved by then are recomputed.
 */
const PATIENCE_MS = 60_000;

/** Saves the run and reloads the page, which resumes a running run. */
export async function reloadKept(): Promise<void> {
  const { runId, status, pausing } = useLab.getState();
  const training = status === 'running' || status === 'starting';
  if (runId !== null && training) {
    useRelease.setState({ saving: true });
    if (!pausing) goOnAfterReload(runId);
    pauseRun();
    await settled();
  }
  location.reload();
}

/** Resolves when the worker is idle, which it is after saving the run. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, PATIENCE_MS);
    const unsubscribe = useLab.subscribe(({ status }) => {
      if (status !== 'running' && status !== 'starting') end();
    });
    function end() {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    }
  });
}
