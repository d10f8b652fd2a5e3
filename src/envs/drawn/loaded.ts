import type { EnvironmentOptions } from '../types.ts';
import type { DrawnWorld } from './world.ts';

/** Set once the environment is loaded, so that the view of all mazes need not load it. */
export const loaded: { world?: (options?: EnvironmentOptions) => DrawnWorld } = {};
