/** Houses of ALFWorld: one room, with receptacles and things numbered by kind. */

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

/** Marks of receptacles and things. */
export const OPEN = 1;
/** Of a receptacle: the agent has seen its contents. */
export const SEEN = 2;
export const CLEAN = 4;
export const HOT = 8;
export const COOL = 16;
export const SLICED = 32;
/** Of a lamp: it has been used and stays lit. */
export const USED = 64;

/** The treatment that a goal requires of a thing. */
export type Treatment = 'clean' | 'hot' | 'cool';

export interface AlfworldGoal {
  readonly text: string;
  readonly thing: GoodKind;
  /** Null if the goal is to look at the thing. */
  readonly target: ReceptacleKind | null;
  readonly treatment: Treatment | null;
  /** Number of things required in the same receptacle. */
  readonly count: 1 | 2;
}

export interface AlfworldTask extends HouseTask<null> {
  readonly aim: AlfworldGoal;
  /** Number of receptacles. They are numbered from 0, and things from here on. */
  readonly places: number;
  /** The kind of each receptacle and thing. */
  readonly kinds: readonly (ReceptacleKind | GoodKind)[];
}

export type AlfworldState = HouseState<null>;
export type AlfworldNow = Now<AlfworldTask, null>;

export const isPlace = ({ places }: AlfworldTask, thing: number): boolean => thing < places;

/** Throws a RangeError for a number that is neither a receptacle nor a thing. */
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

/** Whether the contents of a receptacle are visible and reachable from in front of it. */
export const isOpen = ({ task, state }: AlfworldNow, place: number): boolean =>
  !opens(task, place) || has(state, place, OPEN);

/** Whether a thing may be put in or on a receptacle, by their kinds. */
export const fits = (task: AlfworldTask, thing: number, place: number): boolean =>
  traits(task, thing).places.includes(kindOf(task, place) as ReceptacleKind);

/** The thing in the agent's hand; undefined if it is empty. */
export function held({ state }: AlfworldNow): number | undefined {
  const thing = state.within.indexOf(HAND);
  return thing === -1 ? undefined : thing;
}

const MARKS = { clean: CLEAN, hot: HOT, cool: COOL } as const;

/** Whether a thing has the kind and the treatment that the goal requires. */
export const isReady = ({ task, state }: AlfworldNow, thing: number): boolean =>
  isWanted(task, thing) &&
  (task.aim.treatment === null || has(state, thing, MARKS[task.aim.treatment]));

export const isWanted = (task: AlfworldTask, thing: number): boolean =>
  !isPlace(task, thing) && isOfKind(task, thing, task.aim.thing);

/** Things of the requested kind in a receptacle that have been treated as the goal requires. */
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

/** The lamps in or on a receptacle, optionally only those with a mark. */
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

/** The receptacles of a kind, in the room's order. */
export const placesOf = ({ places, kinds }: AlfworldTask, kind: string): readonly number[] =>
  kinds.flatMap((other, place) => (place < places && other === kind ? place : []));
