/**
 * What turns show of a policy in rooms that differ from task to task: what it does by where the thing lies
 * that the goal is about, seen from the agent.
 */

import type { Deed, TakenTurn } from '../deeds.ts';
import type { EnvironmentOptions } from '../types.ts';
import { nameOf, type Situation, situation } from './actions.ts';
import { openClauses } from './mission.ts';
import { isBabyAIState, sourceOf } from './scene.ts';
import { DROP, MOVE_FORWARD, TOGGLE, TURN_LEFT, TURN_RIGHT, VERBS } from './text.ts';
import { type BabyAIState, cellOf, FIRST_ENTITY, frontOf, WALL, type World } from './world.ts';

/** Where something lies: steps ahead of the agent (negative: behind it), and to its right. */
export interface Bearing {
  readonly ahead: number;
  readonly right: number;
}

/** What the agent does, as far as the picture tells it apart. */
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

/** What has a sign of its own whatever lies where. */
const plain: Readonly<Record<string, Doing>> = {
  [TURN_LEFT]: 'left',
  [TURN_RIGHT]: 'right',
  [MOVE_FORWARD]: 'ahead',
  [TOGGLE]: 'hands',
  [DROP]: 'hands',
};

export const placeName = ({ ahead, right }: Bearing): string => `${ahead},${right}`;

/** How many steps away the picture still has a place, to every side. */
export function reachOf(environmentId: string, options: EnvironmentOptions): number {
  const { roomSize } = sourceOf(environmentId, options).worldOf(0);
  // In a single room nothing is farther away than from wall to wall.
  return beyondOf(environmentId, options) ? roomSize - 1 : roomSize - 3;
}

/** Whether things may lie beyond that reach, so that its last places stand for all there is. */
export function beyondOf(environmentId: string, options: EnvironmentOptions): boolean {
  const { side, roomSize } = sourceOf(environmentId, options).worldOf(0);
  return side !== roomSize;
}

/** The things and doors that the open part of the mission is about and that the agent is to go to now. */
function wantedIn(world: World, state: BabyAIState): readonly number[] {
  return openClauses(world.mission, state.done).flatMap((clause) => {
    const { carrying } = state;
    const has = carrying !== null && clause.targets.includes(carrying);
    return clause.kind === 'putnext' && has ? clause.fixed : clause.targets;
  });
}

/** A cell of the world as the agent sees it. */
export function bearingOf(
  side: number,
  { position, direction }: BabyAIState,
  cell: number,
): Bearing {
  const down = Math.floor(cell / side) - Math.floor(position / side);
  const east = (cell % side) - (position % side);
  // By the direction in which the agent looks: right, down, left, up.
  const turned = [
    { ahead: east, right: down },
    { ahead: down, right: 0 - east },
    { ahead: 0 - east, right: 0 - down },
    { ahead: 0 - down, right: east },
  ];
  return turned[direction] ?? { ahead: 0, right: 0 };
}

/** What a turn did, at the place of the thing that is wanted; nothing where none lies anywhere. */
export function deedsOf({ environmentId, options, before, action }: TakenTurn): readonly Deed[] {
  if (!isBabyAIState(before)) return [];
  const world = sourceOf(environmentId, options).worldOf(before.task);
  const here = situation(world, before);
  const place = placeIn(world, before, here, reachOf(environmentId, options));
  if (place === null) return [];
  return [{ place: placeName(place), action: doingOf(world, before, here, action) }];
}

/**
 * Where the nearest of the things lies that are wanted, of those in sight if any is; null where none lies
 * anywhere.
 *
 * @param reach steps to a side that stand for all beyond
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

/** What an action comes to, as far as the picture tells it apart. */
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

/** Whether an action is on something of a name: `go to red ball 1` is on a red ball. */
const isOn = (action: string, name: string) =>
  VERBS.some((verb) => action.startsWith(`${verb} ${name} `));
