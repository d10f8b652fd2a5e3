/** Worlds and their drawings come when something is shown of them. */

import { useEffect, useState } from 'react';
import { areLoaded, loadEnvironments } from '../../envs/registry.ts';
import { areDrawable, loadViews } from '../../envs/views.ts';

/** The worlds of these environments and how they are drawn. */
export async function loadWorlds(ids: readonly string[]): Promise<void> {
  await Promise.all([loadEnvironments(ids), loadViews(ids)]);
}

/**
 * Whether the worlds of these environments are there; they are asked for where they are not. One that
 * cannot be had leaves its place empty, and the page says so in one notice.
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
