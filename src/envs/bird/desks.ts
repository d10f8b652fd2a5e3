import { resolveOptions } from '../options.ts';
import { RUNGS } from '../tools/core/kit.ts';
import type { EnvironmentOptions } from '../types.ts';
import { type Desk, openDesk } from './episode.ts';
import { birdId, birdOptions } from './options.ts';

// Cached, because views request the same few settings repeatedly.
const desks = new Map<string, Desk>();

/**
 * The desk for these options, cached.
 * Throws `EnvironmentOptionError` for an unknown option or an invalid value.
 */
export function deskFor(options?: EnvironmentOptions): Desk {
  const { rung, turns } = resolveOptions(birdId, birdOptions, options);
  const key = `${rung} ${turns}`;
  const desk = desks.get(key) ?? openDesk(rung === 'all' ? RUNGS : [rung], turns);
  desks.set(key, desk);
  return desk;
}
