import { resolveOptions } from '../options.ts';
import type { EnvironmentOptions } from '../types.ts';
import { academia } from './academia/kit.ts';
import { type Desk, openDesk } from './core/episode.ts';
import type { Json } from './core/json.ts';
import { type Kit, RUNGS, type Rung } from './core/kit.ts';
import { movie } from './movie/kit.ts';
import { toolsOptions } from './options.ts';
import { sheet } from './sheet/kit.ts';
import { todo } from './todo/kit.ts';
import { weather } from './weather/kit.ts';

/** The kits of all tool environments. */
export const kits: readonly Kit<Json>[] = [todo, weather, movie, academia, sheet];

/**
 * The rungs that an environment's options select.
 * Throws `EnvironmentOptionError` for an unknown option or an invalid value.
 */
export function rungsOf(id: string, options?: EnvironmentOptions): readonly Rung[] {
  const { rung } = resolveOptions(id, toolsOptions, options);
  return rung === 'all' ? RUNGS : [rung];
}

// Cached, because views ask repeatedly about the same few settings.
const desks = new Map<string, Desk<Json>>();

/** The episodes of an environment; undefined for an unknown id. */
export function deskFor(id: string, options: EnvironmentOptions): Desk<Json> | undefined {
  const kit = kits.find((candidate) => candidate.id === id);
  if (kit === undefined) return undefined;
  const rungs = rungsOf(id, options);
  const key = `${id} ${rungs.join(' ')}`;
  const desk = desks.get(key) ?? openDesk(kit, rungs);
  desks.set(key, desk);
  return desk;
}
