/**
 * Parts of the page come when they are asked for. After a new release they may be gone from the host:
 * that is told once, and a reload brings the newer page, in which the run goes on.
 */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { create } from 'zustand';
import { goOnAfterReload } from '../browser/go-on.ts';
import { pauseRun } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';

export interface ReleaseState {
  /** Why a part is missing; null where none is. */
  readonly missing: 'release' | 'network' | null;
  /** A reload was asked for, and the run is being kept. */
  readonly saving: boolean;
}

export const useRelease = create<ReleaseState>()(() => ({ missing: null, saving: false }));

/** Bundled code says so when a part, or its style sheet, cannot be had. */
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

/** A part of the page in a file of its own. Where that cannot be had, nothing stands in its place. */
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

/** No run is waited for longer: what is not kept then is computed again. */
const PATIENCE_MS = 60_000;

/** Keeps the run as it is and reloads the page, in which a run that was going goes on. */
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

/** Resolves when the worker has come to rest, which it does after it has kept the run. */
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
