import { resolveOptions } from '../options.ts';
import { RUNGS } from '../tools/core/kit.ts';
import type { EnvironmentOptions } from '../types.ts';
import { type Desk, openDesk } from './episode.ts';
import { birdId, birdOptions } from './options.ts';

// A view asks again and again about the same few settings.
const desks = new Map<string, Desk>();

/**
 * Reads episodes with these options.
 *
 * Throws `EnvironmentOptionError` for an unknown option or a value that it cannot have.
 */
export function deskFor(options?: EnvironmentOptions): Desk {
  const { rung, turns } = resolveOptions(birdId, birdOptions, options);
  const key = `${rung} ${turns}`;
  const desk = desks.get(key) ?? openDesk(rung === 'all' ? RUNGS : [rung], turns);
  desks.set(key, desk);
  return desk;
}
