/** The settings of a run in a drawn maze. */

import { parseConfig } from '../../../config/check.ts';
import { presetConfig } from '../../../config/presets.ts';
import type { Config } from '../../../config/schema.ts';
import { drawnCard } from '../../../envs/drawn/card.ts';
import { drawnWorld } from '../../../envs/drawn/world.ts';
import { indexOf } from '../../../envs/maze/board.ts';

/** Base settings; turns and tasks depend on the drawing. */
export const PRESET = 'maze';

/** Episodes of an iteration, as in the preset. */
const EPISODES = 200;
/** With more starts, an iteration plays only some of them. */
const MOST_TASKS = 64;

/** A drawing in numbers. */
export interface DrawnFacts {
  readonly starts: number;
  /** Moves from the farthest start to the goal. */
  readonly farthest: number;
  readonly turnLimit: number;
}

/** @throws {EnvironmentOptionError} for a drawing that cannot be played */
export function factsOf(drawing: string): DrawnFacts {
  const { board, starts, turnLimit } = drawnWorld({ drawing });
  const distances = starts.map((start) => board.distances[indexOf(board, start)] ?? 0);
  return { starts: starts.length, farthest: Math.max(...distances), turnLimit };
}

/** @throws {EnvironmentOptionError} for a drawing that cannot be played */
export function trainingConfig(drawing: string, name: string, seed?: number): Config {
  const { starts, farthest, turnLimit } = factsOf(drawing);
  const base = presetConfig(PRESET);
  const tasks = Math.min(starts, MOST_TASKS);
  const turns = (least: number, share: number) =>
    Math.min(turnLimit, Math.max(least, Math.ceil(share * farthest)));
  const options = name === '' ? { drawing } : { drawing, name };
  return parseConfig({
    ...base,
    ...(seed === undefined ? {} : { seed }),
    env: { ...base.env, id: drawnCard.id, options },
    rollout: {
      ...base.rollout,
      tasks_per_iteration: tasks,
      group_size: Math.max(4, Math.round(EPISODES / tasks)),
    },
    horizon: { ...base.horizon, rounds: [turns(10, 0.7), turns(20, 1.4)] },
  });
}
