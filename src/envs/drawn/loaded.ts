import type { EnvironmentOptions } from '../types.ts';
import type { DrawnWorld } from './world.ts';

/** Set once the environment is loaded, so that the view of all mazes doesn't load it for the others. */
export const loaded: { world?: (options?: EnvironmentOptions) => DrawnWorld } = {};
