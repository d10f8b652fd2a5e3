/** Houses of ALFWorld: one room, whose receptacles and things are numbered by kind. */

import { HAND, type HouseState, has } from '../core/house.ts';
import type { HouseTask } from '../core/kit.ts';
import type { Now } from '../core/verbs.ts';
import {
  type Good,
  type GoodKind,
  goodOf,
  type ReceptacleKind,
  receptacleOf,
} from './catalogue.ts';

/** How a receptacle or a thing is. */
export const OPEN = 1;
/** Of a receptacle: the agent has seen what is in it. */
export const SEEN = 2;
export const CLEAN = 4;
export const HOT = 8;
export const COOL = 16;
export const SLICED = 32;
/** Of a lamp: it was used, and shines from then on. */
export const USED = 64;

/** What a thing must have become on the way: nothing, or one of the three treatments. */
export type Treatment = 'clean' | 'hot' | 'cool';

export interface AlfworldGoal {
  readonly text: string;
  readonly thing: GoodKind;
  /** Null where it is to be looked at. */
  readonly target: ReceptacleKind | null;
  readonly treatment: Treatment | null;
  /** How many have to lie in the same receptacle. */
  readonly count: 1 | 2;
}

export interface AlfworldTask extends HouseTask<null> {
  readonly aim: AlfworldGoal;
  /** Receptacles have the numbers below this, things the others. */
  readonly places: number;
  /** The kind of each receptacle and thing. */
  readonly kinds: readonly (ReceptacleKind | GoodKind)[];
}

export type AlfworldState = HouseState<null>;
export type AlfworldNow = Now<AlfworldTask, null>;

export const isPlace = ({ places }: AlfworldTask, thing: number): boolean => thing < places;

/** Throws a RangeError for a number that is no receptacle's or thing's. */
function kindOf(task: AlfworldTask, thing: number): ReceptacleKind | GoodKind {
  const kind = task.kinds[thing];
  if (kind === undefined) throw new RangeError(`the room has no thing ${thing}`);
  return kind;
}

export const opens = (task: AlfworldTask, place: number): boolean =>
  receptacleOf(kindOf(task, place) as ReceptacleKind).opens === true;

export const traits = (task: AlfworldTask, thing: number): Good =>
  goodOf(kindOf(task, thing) as GoodKind);

export const isOfKind = ({ kinds }: AlfworldTask, thing: number, kind: string): boolean =>
  kinds[thing] === kind;

/** Whether what is in a receptacle can be seen and reached by who stands there. */
export const isOpen = ({ task, state }: AlfworldNow, place: number): boolean =>
  !opens(task, place) || has(state, place, OPEN);

/** Whether a thing may be put in or on a receptacle, by the kinds of both. */
export const fits = (task: AlfworldTask, thing: number, place: number): boolean =>
  traits(task, thing).places.includes(kindOf(task, place) as ReceptacleKind);

/** The thing in the agent's hand; undefined where it is empty. */
export function held({ state }: AlfworldNow): number | undefined {
  const thing = state.within.indexOf(HAND);
  return thing === -1 ? undefined : thing;
}

const MARKS = { clean: CLEAN, hot: HOT, cool: COOL } as const;

/** Whether a thing is of the kind that the goal is about, and treated as it asks. */
export const isReady = ({ task, state }: AlfworldNow, thing: number): boolean =>
  isWanted(task, thing) &&
  (task.aim.treatment === null || has(state, thing, MARKS[task.aim.treatment]));

export const isWanted = (task: AlfworldTask, thing: number): boolean =>
  !isPlace(task, thing) && isOfKind(task, thing, task.aim.thing);

/** The things of the goal that lie in a receptacle as it asks. */
export const readyIn = (now: AlfworldNow, place: number): readonly number[] =>
  now.state.within.flatMap((where, thing) => (where === place && isReady(now, thing) ? thing : []));

export function isSolved(now: AlfworldNow): boolean {
  const { task, state } = now;
  const { target, count } = task.aim;
  if (target === null) {
    const thing = held(now);
    return thing !== undefined && isWanted(task, thing) && lampsAt(now, state.at, USED).length > 0;
  }
  for (let place = 0; place < task.places; place++) {
    if (isOfKind(task, place, target) && readyIn(now, place).length >= count) return true;
  }
  return false;
}

/** The lamps in or on a receptacle, only those with a mark if one is given. */
export const lampsAt = (
  { task, state }: AlfworldNow,
  place: number,
  mark?: number,
): readonly number[] =>
  state.within.flatMap((where, thing) =>
    where === place &&
    traits(task, thing).shines === true &&
    (mark === undefined || has(state, thing, mark))
      ? thing
      : [],
  );

/** The receptacles of a kind, in the order in which the room lists them. */
export const placesOf = ({ places, kinds }: AlfworldTask, kind: string): readonly number[] =>
  kinds.flatMap((other, place) => (place < places && other === kind ? place : []));
