/** Generates a random house for a goal. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { chance, oneOf, someOf } from '../../draws.ts';
import { shuffled } from '../../shuffled.ts';
import { houseOf, NOWHERE } from '../core/house.ts';
import type { Rung } from '../core/kit.ts';
import {
  CLASSES,
  ENTRIES,
  type Entry,
  entryOf,
  MIXTURES,
  namesOf,
  PRIMARIES,
} from './catalogue.ts';
import { LABORATORY, type SciWorldGoal } from './goals.ts';
import { DOORS, pathsOf, ROOMS, type Room, waysOf } from './map.ts';
import { TASKS } from './text.ts';
import { type Aim, type SciWorldTask, SEEN } from './world.ts';

const ROOM_TEMPERATURE = 20;
/** Minimum distance of a measured temperature from the threshold. */
const CLEARLY = 20;
/** Number of things in each room besides those of the goal. */
const OTHERS: Readonly<Record<Rung, readonly [least: number, most: number]>> = {
  one: [3, 4],
  two: [1, 2],
  three: [1, 2],
  four: [0, 1],
};

/** The contents of a house before its things are numbered. */
interface Plan {
  readonly rooms: readonly Room[];
  readonly text: string;
  /** The container of each thing: a room, another thing, or none yet. */
  readonly things: Map<string, string | null>;
  readonly degrees: ReadonlyMap<string, number>;
  readonly aim: (numberOf: (name: string) => number) => Aim;
}

/** A house for a goal; null if the draw fails. */
export function furnish(
  goal: SciWorldGoal,
  rung: Rung,
  random: RandomGenerator,
): SciWorldTask | null {
  const rooms = roomsFor(goal, rung, random);
  const plan = planOf(goal, rooms, random);
  if (plan === null) return null;
  addOthers(plan, goal, rung, random);
  if (rung === 'four') addDevices(plan);
  return built(goal, plan, oneOf(rooms, random), rung === 'three');
}

/** The first rung has one room, the second four connected ones, the third all, the last a laboratory. */
function roomsFor(goal: SciWorldGoal, rung: Rung, random: RandomGenerator): readonly Room[] {
  if (rung === 'four') return LABORATORY;
  if (rung === 'three') return ROOMS;
  const named = goal.kind === 'find' ? goal.room : null;
  if (rung === 'one') return [named ?? 'kitchen'];
  const core: readonly Room[] = ['hallway', 'kitchen', 'outside'];
  const fourth = ROOMS.filter((room) => !core.includes(room));
  return [...core, named === null || core.includes(named) ? oneOf(fourth, random) : named];
}

function planOf(goal: SciWorldGoal, rooms: readonly Room[], random: RandomGenerator): Plan | null {
  const things = new Map<string, string | null>();
  const degrees = new Map<string, number>();
  const plan = { rooms, things, degrees };
  switch (goal.kind) {
    case 'find': {
      if (!rooms.includes(goal.room)) return null;
      const sorts = CLASSES[goal.what] ?? [];
      const fitting = sorts.flatMap(namesOf);
      for (const name of someOf(fitting, uniformInt(random, 1, 2), random)) {
        things.set(name, oneOf(rooms, random));
      }
      for (const box of [goal.box, ...someOf(without('box', [goal.box]), 1, random)]) {
        things.set(box, goal.room);
      }
      return {
        ...plan,
        text: `${TASKS.find} ${goal.what}. ${TASKS.findThen} ${goal.box} ${TASKS.inThe} ${goal.room}.`,
        aim: (numberOf) => ({ kind: 'find', sorts, box: numberOf(goal.box) }),
      };
    }
    case 'life span': {
      const room = rooms.includes('outside') ? 'outside' : oneOf(rooms, random);
      const byYears = [...goal.animals].sort(
        (a, b) => (entryOf(b).years ?? 0) - (entryOf(a).years ?? 0),
      );
      const [longest = '', shortest = ''] = [byYears.at(0), byYears.at(-1)];
      const order = { longest: [longest], shortest: [shortest], both: [longest, shortest] };
      const focus = {
        longest: TASKS.focusLongest,
        shortest: TASKS.focusShortest,
        both: TASKS.focusBoth,
      };
      for (const animal of shuffled(goal.animals, random)) things.set(animal, room);
      return {
        ...plan,
        text: `${TASKS[goal.which]} ${room} ${TASKS.location} ${focus[goal.which]}`,
        aim: (numberOf) => ({
          kind: 'life span',
          order: order[goal.which].map(numberOf),
          room: numberOf(room),
        }),
      };
    }
    case 'change': {
      things.set(goal.container, goal.room);
      things.set(goal.material, goal.container);
      return {
        ...plan,
        text: `${TASKS[goal.to]} ${goal.material}. ${TASKS.changeThen}`,
        aim: (numberOf) => ({
          kind: 'change',
          material: numberOf(goal.material),
          to: goal.to,
        }),
      };
    }
    case 'measure': {
      const { material, room, threshold, boxes, boxRoom } = goal;
      const above = chance(random);
      const far = CLEARLY + 10 * uniformInt(random, 0, 4);
      degrees.set(material, above ? threshold + far : threshold - far);
      things.set(material, room);
      things.set('thermometer', oneOf(rooms, random));
      for (const box of boxes) things.set(box, boxRoom);
      const place = (box: string) => `${threshold} ${TASKS.place} ${box}.`;
      return {
        ...plan,
        text: [
          `${TASKS.measure} ${material}, ${TASKS.located} ${room}.`,
          `${TASKS.measureThen} ${material}.`,
          `${TASKS.above} ${place(boxes[0])}`,
          `${TASKS.below} ${place(boxes[1])}`,
          `${TASKS.boxes} ${boxRoom}.`,
        ].join(' '),
        aim: (numberOf) => ({
          kind: 'measure',
          material: numberOf(material),
          thermometer: numberOf('thermometer'),
          box: numberOf(boxes[above ? 0 : 1]),
          wrong: numberOf(boxes[above ? 1 : 0]),
          room: numberOf(room),
        }),
      };
    }
    case 'paint': {
      const { paint } = goal;
      const [first = '', second = ''] = MIXTURES[paint] ?? [];
      const third = PRIMARIES.find((one) => one !== first && one !== second) ?? '';
      const spare = oneOf(without('container', goal.containers), random);
      const placed = [...goal.containers, spare];
      for (const container of shuffled(placed, random)) things.set(container, 'art studio');
      for (const [i, one] of [first, second, third].entries()) things.set(one, placed[i] ?? null);
      for (const made of Object.keys(MIXTURES)) things.set(made, null);
      return {
        ...plan,
        text: `${TASKS.paint} ${paint}. ${TASKS.paintThen}`,
        aim: (numberOf) => ({
          kind: 'paint',
          paint: numberOf(paint),
          of: [numberOf(first), numberOf(second)],
        }),
      };
    }
    default:
      return goal satisfies never;
  }
}

const without = (sort: Entry['sort'], names: readonly string[]): readonly string[] =>
  namesOf(sort).filter((name) => !names.includes(name));

/** Things unrelated to the goal: nothing that it asks to find, and no animals other than those to compare. */
function addOthers(
  { rooms, things }: Plan,
  goal: SciWorldGoal,
  rung: Rung,
  random: RandomGenerator,
) {
  const asked = goal.kind === 'find' ? (CLASSES[goal.what] ?? []) : [];
  const sorts = (['animal', 'plant', 'object', 'container'] as const).filter(
    (sort) =>
      !asked.includes(sort) &&
      (sort !== 'animal' || goal.kind === 'find') &&
      (sort !== 'container' || goal.kind !== 'paint'),
  );
  const offered = shuffled(
    sorts.flatMap(namesOf).filter((name) => !things.has(name)),
    random,
  );
  const [least, most] = OTHERS[rung];
  for (const room of rooms) {
    const count = uniformInt(random, least, most);
    for (const name of offered.splice(0, count)) things.set(name, room);
  }
}

function addDevices({ rooms, things }: Plan): void {
  for (const name of namesOf('device')) {
    const { room } = entryOf(name);
    if (room !== undefined && rooms.includes(room)) things.set(name, room);
  }
}

/** The house, with its things in a fixed order, so that a room's list does not reveal the goal. */
function built(goal: SciWorldGoal, plan: Plan, start: Room, shut: boolean): SciWorldTask {
  const { rooms, things, degrees } = plan;
  const named = Object.keys(ENTRIES).filter((name) => things.has(name));
  const names: readonly string[] = [...rooms, ...named];
  const house = houseOf(names);
  const numberOf = (name: string): number => house.numberOf.get(name) ?? NOWHERE;
  const ways = waysOf(rooms);
  const entries = [...rooms.map((): Entry => ({ sort: 'object' })), ...named.map(entryOf)];
  const at = numberOf(start);
  const hasDevices = entries.some(({ sort }) => sort === 'device');
  return {
    house,
    goal: plan.text,
    key: goal.text,
    aim: plan.aim(numberOf),
    entries,
    rooms,
    ways,
    paths: pathsOf(ways),
    warm: hasDevices
      ? names.flatMap((_, thing) => (entries[thing]?.sort === 'material' ? thing : []))
      : [],
    start: {
      at,
      within: names.map((name) => numberOf(things.get(name) ?? '')),
      // The first observation shows the room.
      marks: names.map((_, thing) => (thing === at ? SEEN : 0)),
      own: {
        doors: shut ? 0 : 2 ** DOORS.length - 1,
        degrees: names.map((name) => degrees.get(name) ?? ROOM_TEMPERATURE),
        focus: -1,
        reached: 0,
        extras: 0,
        failed: false,
      },
    },
  };
}
