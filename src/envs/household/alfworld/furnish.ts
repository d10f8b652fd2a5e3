/** Generates a random room for a goal. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { oneOf } from '../../draws.ts';
import { shuffled } from '../../shuffled.ts';
import { houseOf, NOWHERE } from '../core/house.ts';
import type { Rung } from '../core/kit.ts';
import {
  type GoodKind,
  goodKinds,
  goodOf,
  type ReceptacleKind,
  ROOMS,
  type Room,
  receptacleKinds,
  receptacleOf,
} from './catalogue.ts';
import { MOST_OF_A_KIND } from './text.ts';
import { treatments } from './verbs.ts';
import type { AlfworldGoal, AlfworldTask } from './world.ts';

/** Size of the rooms of a rung. */
interface Size {
  readonly receptacles: readonly [least: number, most: number];
  /** Share of receptacles with a door or lid, which are closed at the start. */
  readonly shut: number;
  /** Number of things besides those of the goal. */
  readonly others: number;
}

export const SIZES: Readonly<Record<Rung, Size>> = {
  one: { receptacles: [4, 4], shut: 0, others: 4 },
  two: { receptacles: [8, 8], shut: 0.5, others: 6 },
  three: { receptacles: [8, 8], shut: 0.4, others: 6 },
  four: { receptacles: [12, 20], shut: 0.4, others: 10 },
};

/** Maximum number of things in one receptacle. */
const MOST_IN_ONE = 3;

type Kind = ReceptacleKind | GoodKind;

/** A room for a goal; null if the draw leaves no place for something. */
export function furnish(
  goal: AlfworldGoal,
  rung: Rung,
  random: RandomGenerator,
): AlfworldTask | null {
  const rooms = ROOMS.filter((room) => isIn(goal, room));
  if (rooms.length === 0) return null;
  const room = oneOf(rooms, random);
  const starts = startsOf(goal, room).filter((kind) => rung !== 'one' || !opens(kind));
  if (starts.length === 0) return null;
  // On the first rung the thing may be anywhere, so the agent has to search place by place.
  const needed =
    rung === 'one'
      ? [...needs(goal, random), ...shuffled(starts, random)].slice(0, SIZES.one.receptacles[0])
      : [oneOf(starts, random), ...needs(goal, random)];
  const places = placesFor(room, rung, needed, random);
  const things = thingsFor(goal, room, rung, random);
  const within = placed(goal, things, places, random);
  if (within === null) return null;
  const kinds = [...places, ...things];
  const names = numbered(kinds);
  return {
    house: houseOf(names),
    goal: `${goal.text}.`,
    key: goal.text,
    aim: goal,
    places: places.length,
    kinds,
    start: {
      at: NOWHERE,
      within: [...places.map(() => NOWHERE), ...within],
      marks: kinds.map(() => 0),
      own: null,
    },
  };
}

const opens = (kind: ReceptacleKind) => receptacleOf(kind).opens === true;

/** Whether a room can contain everything that a goal needs. */
function isIn(goal: AlfworldGoal, room: Room): boolean {
  const { thing, target, treatment } = goal;
  const kinds = [
    ...(target === null ? [] : [target]),
    ...(treatment === null ? [] : [treatments[treatment].appliance]),
  ];
  return (
    goodOf(thing).rooms.includes(room) &&
    kinds.every((kind) => receptacleOf(kind).rooms.includes(room)) &&
    (target !== null || goodOf('desklamp').rooms.includes(room)) &&
    startsOf(goal, room).length > 0
  );
}

/** The kinds of receptacles in which a goal's thing may start. */
export function startsOf({ thing, target }: AlfworldGoal, room: Room): readonly ReceptacleKind[] {
  return goodOf(thing).places.filter(
    (kind) => kind !== target && receptacleOf(kind).rooms.includes(room),
  );
}

/** The kinds of receptacles that a goal needs besides the one where its thing starts. */
function needs(
  { target, treatment }: AlfworldGoal,
  random: RandomGenerator,
): readonly ReceptacleKind[] {
  return [
    ...(target === null ? [oneOf(goodOf('desklamp').places, random)] : [target]),
    ...(treatment === null ? [] : [treatments[treatment].appliance]),
  ];
}

/** The kinds of receptacles of a room, including the required ones. */
function placesFor(
  room: Room,
  rung: Rung,
  needed: readonly ReceptacleKind[],
  random: RandomGenerator,
): readonly ReceptacleKind[] {
  const { receptacles, shut } = SIZES[rung];
  const count = uniformInt(random, ...receptacles);
  const chosen: ReceptacleKind[] = [...new Set(needed)];
  const offered = receptacleKinds.filter((kind) => receptacleOf(kind).rooms.includes(room));
  const add = (opening: boolean, most: number): void => {
    const free = (kind: ReceptacleKind) => {
      const there = chosen.filter((other) => other === kind).length;
      const several = receptacleOf(kind).several === true && rung !== 'one';
      return there < (several ? MOST_OF_A_KIND : 1);
    };
    while (chosen.filter((kind) => opens(kind) === opening).length < most) {
      const left = offered.filter((kind) => opens(kind) === opening && free(kind));
      if (left.length === 0 || chosen.length >= count) return;
      chosen.push(oneOf(left, random));
    }
  };
  add(true, Math.round(shut * count));
  add(false, count);
  return shuffled(chosen, random);
}

/** The things of a room: those of the goal first, then others of different kinds. */
function thingsFor(
  { thing, target, count }: AlfworldGoal,
  room: Room,
  rung: Rung,
  random: RandomGenerator,
): readonly GoodKind[] {
  const wanted: GoodKind[] = Array.from({ length: count }, () => thing);
  if (target === null) wanted.push('desklamp');
  const others = goodKinds.filter(
    (kind) => kind !== thing && goodOf(kind).shines !== true && goodOf(kind).rooms.includes(room),
  );
  return [...wanted, ...shuffled(others, random).slice(0, SIZES[rung].others)];
}

/** A receptacle for each thing; null if one has none. Things of the goal never start at their destination. */
function placed(
  { thing, target }: AlfworldGoal,
  things: readonly GoodKind[],
  places: readonly ReceptacleKind[],
  random: RandomGenerator,
): readonly number[] | null {
  const counts = places.map(() => 0);
  const within: number[] = [];
  for (const kind of things) {
    const free = places.flatMap((place, p) =>
      goodOf(kind).places.includes(place) &&
      (kind !== thing || place !== target) &&
      (counts[p] ?? 0) < MOST_IN_ONE
        ? p
        : [],
    );
    if (free.length === 0) return null;
    const p = oneOf(free, random);
    counts[p] = (counts[p] ?? 0) + 1;
    within.push(p);
  }
  return within;
}

/** `mug 1`, `mug 2`: numbered by kind, in order. */
function numbered(kinds: readonly Kind[]): readonly string[] {
  const counts = new Map<Kind, number>();
  return kinds.map((kind) => {
    const n = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, n);
    return `${kind} ${n}`;
  });
}
