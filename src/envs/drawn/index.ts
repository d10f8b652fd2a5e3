import type { EnvironmentFamily } from '../types.ts';
import { drawnCard } from './card.ts';
import { createDrawnMaze } from './environment.ts';
import { loaded } from './loaded.ts';
import { drawnWorld } from './world.ts';

loaded.world = drawnWorld;

export const families: readonly EnvironmentFamily[] = [{ ...drawnCard, create: createDrawnMaze }];
