/**
 * Policy map for rooms that differ between tasks: the actions taken, by the position of the target relative
 * to the agent.
 */

import type { PlacedAction, TakenTurn } from '../deeds.ts';
import type { EnvironmentOptions } from '../types.ts';
import { nameOf, type Situation, situation } from './actions.ts';
import { openClauses } from './mission.ts';
import { isBabyAIState, sourceOf } from './scene.ts';
import { DROP, MOVE_FORWARD, TOGGLE, TURN_LEFT, TURN_RIGHT, VERBS } from './text.ts';
import { type BabyAIState, cellOf, FIRST_ENTITY, frontOf, WALL, type World } from './world.ts';

/** A position relative to the agent: steps ahead (negative: behind) and to the right. */
export interface Bearing {
  readonly ahead: number;
  readonly right: number;
}

/** Kinds of actions that the map distinguishes. */
export const doings = [
  'left',
  'right',
  'ahead',
  'it',
  'vain',
  'another',
  'hands',
  'nothing',
] as const;
export type Doing = (typeof doings)[number];

/** Actions that are always of the same kind. */
const plain: Readonly<Record<string, Doing>> = {
  [TURN_LEFT]: 'left',
  [TURN_RIGHT]: 'right',
  [MOVE_FORWARD]: 'ahead',
  [TOGGLE]: 'hands',
  [DROP]: 'hands',
};

export const placeName = ({ ahead, right }: Bearing): string => `${ahead},${right}`;

/** The map's range in steps, in every direction. */
export function reachOf(environmentId: string, options: EnvironmentOptions): number {
  const { roomSize } = sourceOf(environmentId, options).worldOf(0);
  // In a single room, nothing is farther away than the opposite wall.
  return hasPlacesBeyond(environmentId, options) ? roomSize - 1 : roomSize - 3;
}

/**
 * Whether targets may be out of range, so that the map's outermost squares include everything beyond them.
 */
export function hasPlacesBeyond(environmentId: string, options: EnvironmentOptions): boolean {
  const { side, roomSize } = sourceOf(environmentId, options).worldOf(0);
  return side !== roomSize;
}

/** Entities to go to for the mission's open clauses: the targets or, once one is carried, its destination. */
function wantedIn(world: World, state: BabyAIState): readonly number[] {
  return openClauses(world.mission, state.done).flatMap((clause) => {
    const { carrying } = state;
    const has = carrying !== null && clause.targets.includes(carrying);
    return clause.kind === 'putnext' && has ? clause.fixed : clause.targets;
  });
}

/** The position of a cell relative to the agent. */
export function bearingOf(
  side: number,
  { position, direction }: BabyAIState,
  cell: number,
): Bearing {
  const down = Math.floor(cell / side) - Math.floor(position / side);
  const east = (cell % side) - (position % side);
  // Indexed by the agent's direction: right, down, left, up.
  const turned = [
    { ahead: east, right: down },
    { ahead: down, right: 0 - east },
    { ahead: 0 - east, right: 0 - down },
    { ahead: 0 - down, right: east },
  ];
  return turned[direction] ?? { ahead: 0, right: 0 };
}

/** The kind of a turn's action, counted at the position of the nearest target; empty if there is none. */
export function placedActions({
  environmentId,
  options,
  before,
  action,
}: TakenTurn): readonly PlacedAction[] {
  if (!isBabyAIState(before)) return [];
  const world = sourceOf(environmentId, options).worldOf(before.task);
  const here = situation(world, before);
  const place = placeIn(world, before, here, reachOf(environmentId, options));
  if (place === null) return [];
  return [{ place: placeName(place), action: doingOf(world, before, here, action) }];
}

/**
 * The relative position of the nearest target, preferring targets in view; null if there is none.
 * @param reach range of the map; farther positions are clipped to it
 */
export function placeIn(
  world: World,
  state: BabyAIState,
  { sight }: Situation,
  reach: number,
): Bearing | null {
  const seen = new Set(sight.entities.map(({ entity }) => entity));
  const wanted = wantedIn(world, state).filter((entity) => cellOf(world, state, entity) >= 0);
  const inSight = wanted.filter((entity) => seen.has(entity));
  const [nearest] = (inSight.length > 0 ? inSight : wanted)
    .map((entity) => bearingOf(world.side, state, cellOf(world, state, entity)))
    .sort((a, b) => stepsTo(a) - stepsTo(b));
  if (nearest === undefined) return null;
  const within = (steps: number) => Math.max(-reach, Math.min(reach, steps));
  return { ahead: within(nearest.ahead), right: within(nearest.right) };
}

const stepsTo = ({ ahead, right }: Bearing) => Math.abs(ahead) + Math.abs(right);

/** The kind of an action. */
export function doingOf(
  world: World,
  state: BabyAIState,
  { actions, grid, names, sight }: Situation,
  action: string,
): Doing {
  const wanted = wantedIn(world, state);
  if (!actions.includes(action)) {
    return wanted.some((entity) => isOn(action, nameOf(world, state, entity))) ? 'vain' : 'nothing';
  }
  const faced = (grid[frontOf(world, state)] ?? WALL) - FIRST_ENTITY;
  if (action === TOGGLE && wanted.includes(faced)) return 'it';
  const acted = names.findIndex((named) => VERBS.some((verb) => named.actions[verb] === action));
  const entity = sight.entities[acted]?.entity;
  if (entity === undefined) return plain[action] ?? 'nothing';
  return wanted.includes(entity) ? 'it' : 'another';
}

/** Whether an action's object has this name: `go to red ball 1` acts on a red ball. */
const isOn = (action: string, name: string) =>
  VERBS.some((verb) => action.startsWith(`${verb} ${name} `));
