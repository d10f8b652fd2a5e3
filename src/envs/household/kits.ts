import { resolveOptions } from '../options.ts';
import type { EnvironmentOptions } from '../types.ts';
import { alfworld } from './alfworld/kit.ts';
import { RUNGS, type Rung } from './core/kit.ts';
import { alfworldId, alfworldOptions, sciworldId, sciworldOptions } from './options.ts';
import { sciworld } from './sciworld/kit.ts';

export const rungsOf = (rung: Rung | 'all'): readonly Rung[] => (rung === 'all' ? RUNGS : [rung]);

/**
 * The ALFWorld kit and the rungs that the options select.
 * Throws `EnvironmentOptionError` for an unknown option or an invalid value.
 */
export function alfworldSetting(options?: EnvironmentOptions) {
  const { rung, actions } = resolveOptions(alfworldId, alfworldOptions, options);
  return { kit: alfworld(actions === 'listed'), rungs: rungsOf(rung) };
}

/** The same for SciWorld. */
export function sciworldSetting(options?: EnvironmentOptions) {
  const { rung, failure } = resolveOptions(sciworldId, sciworldOptions, options);
  return { kit: sciworld(failure === 'forfeits'), rungs: rungsOf(rung) };
}
