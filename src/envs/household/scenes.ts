/** The scene of a state of any household. */

import type { EnvironmentOptions } from '../types.ts';
import { alfworldScene } from './alfworld/scene.ts';
import type { AlfworldState, AlfworldTask } from './alfworld/world.ts';
import { type Turns, turnsOf } from './core/environment.ts';
import { type HouseScene, isHouseState, isOfHouse } from './core/scene.ts';
import { alfworldSetting, sciworldSetting } from './kits.ts';
import { alfworldId, sciworldId } from './options.ts';
import { isSciWorldOwn, sciworldScene } from './sciworld/scene.ts';
import type { SciWorldOwn, SciWorldTask } from './sciworld/world.ts';

/** Converts a state of an environment with given options to a scene. */
type Draw = (state: unknown) => HouseScene | null;

function alfworldDraw(options: EnvironmentOptions): Draw {
  const { kit, rungs } = alfworldSetting(options);
  const turns: Turns<AlfworldTask, null> = turnsOf(kit, rungs);
  return (state) => {
    if (!isHouseState(state)) return null;
    const task = turns.taskOf(state.task);
    if (!isOfHouse(state, task.house.names.length)) return null;
    return alfworldScene({ task, state: state as AlfworldState }, kit.turnLimit);
  };
}

function sciworldDraw(options: EnvironmentOptions): Draw {
  const { kit, rungs } = sciworldSetting(options);
  const turns: Turns<SciWorldTask, SciWorldOwn> = turnsOf(kit, rungs);
  return (state) => {
    if (!isHouseState(state)) return null;
    const task = turns.taskOf(state.task);
    const { own } = state;
    const things = task.house.names.length;
    if (!isOfHouse(state, things) || !isSciWorldOwn(own, things)) return null;
    return sciworldScene({ task, state: { ...state, own } }, kit.turnLimit);
  };
}

const DRAWS: Readonly<Record<string, (options: EnvironmentOptions) => Draw>> = {
  [alfworldId]: alfworldDraw,
  [sciworldId]: sciworldDraw,
};

// Cached, because views request the same few settings repeatedly.
const draws = new Map<string, Draw>();

/** The scene of a value; null if it is not a state of this environment. */
export function sceneOf(
  id: string,
  options: EnvironmentOptions,
  state: unknown,
): HouseScene | null {
  const key = `${id} ${JSON.stringify(options)}`;
  const draw = draws.get(key) ?? DRAWS[id]?.(options);
  if (draw === undefined) return null;
  draws.set(key, draw);
  return draw(state);
}
