import { resolveOptions } from '../options.ts';
import type { EnvironmentOptions } from '../types.ts';
import { type Desk, openDesk } from './core/episode.ts';
import { type Goal, type Kit, RUNGS, type Rung } from './core/kit.ts';
import { webshopOptions } from './options.ts';
import { webarena } from './webarena/kit.ts';
import { webshop } from './webshop/kit.ts';

/**
 * The rungs that an environment's options select.
 * Throws `EnvironmentOptionError` for an unknown option or an invalid value.
 */
export function rungsOf(id: string, options?: EnvironmentOptions): readonly Rung[] {
  // The options of both environments have the same names and values.
  const { rung } = resolveOptions(id, webshopOptions, options);
  return rung === 'all' ? RUNGS : [rung];
}

/** The episodes of a kit by its options, cached, because views request the same few repeatedly. */
function desksOf<Task extends Goal, Place>(
  kit: Kit<Task, Place>,
): (options: EnvironmentOptions) => Desk<Task, Place> {
  const desks = new Map<string, Desk<Task, Place>>();
  return (options) => {
    const rungs = rungsOf(kit.id, options);
    const key = rungs.join(' ');
    const desk = desks.get(key) ?? openDesk(kit, rungs);
    desks.set(key, desk);
    return desk;
  };
}

export const shopDesk = desksOf(webshop);
export const webDesk = desksOf(webarena);
