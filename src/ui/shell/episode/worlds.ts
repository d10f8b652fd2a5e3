/** Loads environments and their drawings on demand. */

import { useEffect, useState } from 'react';
import { areLoaded, loadEnvironments } from '../../../envs/registry.ts';
import { areDrawable, loadViews } from '../../../envs/views.ts';

/** The modules of these environments and their drawings. */
export async function loadWorlds(ids: readonly string[]): Promise<void> {
  await Promise.all([loadEnvironments(ids), loadViews(ids)]);
}

/**
 * Whether the modules of these environments are loaded; starts loading if not. If loading fails,
 * their part of the page stays empty and one notice is shown.
 */
export function useWorlds(ids: readonly string[]): boolean {
  const [, setArrived] = useState(0);
  const key = ids.join(' ');
  const ready = areLoaded(ids) && areDrawable(ids);
  useEffect(() => {
    let shown = true;
    loadWorlds(key.split(' ')).then(
      () => {
        if (shown) setArrived((before) => before + 1);
      },
      (error: unknown) => console.error(error),
    );
    return () => {
      shown = false;
    };
  }, [key]);
  return ready;
}
