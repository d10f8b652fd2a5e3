/** Creates the layout and mission of a task number, the same on every machine. */

import { fnv1a } from '../hash.ts';
import { opsOf, perform, situation } from './actions.ts';
import { Builder, Draws, RejectedWorld, roomCapacity } from './builder.ts';
import { builds, navigations } from './builds.ts';
import { decide } from './expert.ts';
import type { Level } from './levels.ts';
import { accomplished } from './mission.ts';
import { type BabyAIState, startState, type World } from './world.ts';

/** One layout in this many belongs to evaluation. */
const EVAL_ONE_IN = 4;
/** The expert must solve a task within this share of the turn limit, to leave room for mistakes. */
const AT_EASE = 0.4;

export type Split = 'train' | 'eval';

/** A level and its options. */
export interface Setting {
  readonly level: Level;
  readonly roomSize: number;
  readonly distractors: number;
}

/**
 * The task with number `n`, drawn from a generator seeded with `n`. Small layouts repeat, so disjoint numbers
 * alone could put an evaluation layout into training. Each layout belongs to one split by its hash. Draws of
 * the other split are skipped, and so are layouts that the expert does not solve within `AT_EASE`.
 */
export function makeTask(n: number, setting: Setting, split: Split): World {
  const draws = new Draws(n);
  for (;;) {
    const world = drawWorld(draws, setting);
    if (world === null || (worldHash(world) % EVAL_ONE_IN === 0) !== (split === 'eval')) continue;
    if (isSolved(world, Math.floor(AT_EASE * setting.level.turnLimit))) return world;
  }
}

/** One draw; null if it yields no valid task. */
function drawWorld(draws: Draws, { level, roomSize, distractors }: Setting): World | null {
  const builder = new Builder(draws, roomSize, level.rooms);
  const space = roomCapacity(roomSize) * level.rooms ** 2 - level.ownThings;
  try {
    const mission = builds[level.id](builder, Math.min(distractors, space));
    return {
      side: builder.side,
      walls: builder.walls,
      roomSize,
      things: builder.things,
      doors: builder.doors,
      start: builder.agent,
      mission,
      maxSteps: navigations(mission) * roomSize ** 2 * level.rooms ** 2,
    };
  } catch (error) {
    if (error instanceof RejectedWorld) return null;
    throw error;
  }
}

/** Whether the expert completes the mission within a number of turns. */
function isSolved(world: World, turns: number): boolean {
  let state: BabyAIState = startState(0, world);
  for (let turn = 0; turn < turns; turn++) {
    const here = situation(world, state);
    const action = decide(world, state, here)?.action;
    if (action === undefined) return false;
    state = perform(world, state, opsOf(here, action));
    if (accomplished(world.mission, state.done)) return true;
  }
  return false;
}

/** The layout as text. */
export function layoutKey({ side, things, doors }: World): string {
  return [
    side,
    ...things.map(({ kind, color, cell }) => `${kind} ${color} ${cell}`),
    ...doors.map(({ color, cell, state }) => `${color} ${cell} ${state}`),
  ].join();
}

/** The layout and the mission as text. */
export function worldKey(world: World): string {
  const { start, mission } = world;
  return [layoutKey(world), start.cell, start.direction, mission.text].join();
}

/** A hash of the layout and the mission. */
export function worldHash(world: World): number {
  return fnv1a(worldKey(world));
}
