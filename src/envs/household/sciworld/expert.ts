/** Walks to a thing, or to where it may be, by the shortest path, and does what the task requires. */

import type { Demonstration } from '../../types.ts';
import { contentsOf, HAND, has, NOWHERE } from '../core/house.ts';
import { isOf } from './judge.ts';
import {
  activate,
  focus,
  go,
  lookAround,
  mix,
  move,
  open,
  openDoor,
  pickUp,
  pour,
  say,
  use,
  wait,
} from './verbs.ts';
import {
  type Aim,
  isOn,
  isOpen,
  isPassable,
  isRoom,
  isVisible,
  moves,
  placeOf,
  type SciWorldNow,
  SEEN,
  sortOf,
  wayTo,
} from './world.ts';

/** Phrases of the thoughts; each is one lexeme. */
const PHRASES = {
  search: 'I do not see what I need here.',
  around: 'I have not looked around here.',
  shut: 'The door is closed.',
  on: 'I go on to the',
  open: 'I open the',
  fits: 'This is what I was looking for: the',
  belongs: 'It belongs in the',
  carry: 'I take it with me: the',
  lives: 'Of those here this one fits the task: the',
  hotter: 'It has to become hotter, so I use the',
  colder: 'It has to become colder, so I use the',
  turnOn: 'I turn on the',
  time: 'This takes time.',
  measure: 'I measure the',
  together: 'I pour it to the other one, into the',
  mix: 'I mix what is in the',
  task: 'The task asks for the',
} as const;

export const SCIWORLD_THOUGHTS: readonly string[] = Object.values(PHRASES);

/** The next action from any state. */
export function advise(now: SciWorldNow): Demonstration {
  const { aim } = now.task;
  switch (aim.kind) {
    case 'find':
      return find(now, aim);
    case 'life span':
      return compare(now, aim);
    case 'change':
      return change(now, aim);
    case 'measure':
      return measure(now, aim);
    case 'paint':
      return paint(now, aim);
    default:
      return aim satisfies never;
  }
}

type AimOf<K extends Aim['kind']> = Extract<Aim, { readonly kind: K }>;

const name = ({ task }: SciWorldNow, thing: number): string => task.house.names[thing] ?? '';

const isHeld = ({ state }: SciWorldNow, thing: number): boolean => state.within[thing] === HAND;

/** The next step on the shortest path to a room. */
function travel(now: SciWorldNow, room: number): Demonstration {
  const way = now.task.paths.first[now.state.at]?.[room];
  // Never happens: the agent would be in the room already, or have no path to it. Looking has no effect.
  if (way === null || way === undefined || wayTo(now, way.to) === null) return look(now);
  return isPassable(now, way)
    ? { thought: `${PHRASES.on} ${name(now, way.to)}.`, action: say(go, now, way.to) }
    : { thought: PHRASES.shut, action: say(openDoor, now, way.to) };
}

const look = (now: SciWorldNow): Demonstration => ({
  thought: PHRASES.around,
  action: say(lookAround, now),
});

const distance = ({ task, state }: SciWorldNow, room: number): number =>
  room < 0 ? 0 : (task.paths.length[state.at]?.[room] ?? Number.POSITIVE_INFINITY);

/** Looks around in the nearest room that has not been searched yet. */
function search(now: SciWorldNow): Demonstration {
  const { task, state } = now;
  const unseen = task.rooms.flatMap((_, room) => (has(state, room, SEEN) ? [] : room));
  const nearest = least(unseen, (room) => distance(now, room));
  if (nearest === undefined || nearest === state.at) return look(now);
  const step = travel(now, nearest);
  return { thought: `${PHRASES.search} ${step.thought}`, action: step.action };
}

function least(list: readonly number[], of: (item: number) => number): number | undefined {
  let best: number | undefined;
  for (const item of list) if (best === undefined || of(item) < of(best)) best = item;
  return best;
}

/** Whether the agent knows where a thing is: it carries it, or has looked around there. */
function isKnown(now: SciWorldNow, thing: number): boolean {
  const place = placeOf(now, thing);
  return place === HAND || (place >= 0 && has(now.state, place, SEEN));
}

/** Whether a thing is in view: the agent sees a room's contents once it has looked around. */
const isSeen = (now: SciWorldNow, thing: number): boolean =>
  isVisible(now, thing) && isKnown(now, thing);

/**
 * The next step to see a thing; null if it is in view. Tasks state where boxes are, and the locations of
 * devices are known.
 */
function approach(now: SciWorldNow, thing: number): Demonstration | null {
  if (isSeen(now, thing)) return null;
  const sort = sortOf(now.task, thing);
  const isGiven = sort === 'box' || sort === 'device';
  if (!isGiven && !isKnown(now, thing)) return search(now);
  const place = placeOf(now, thing);
  if (place !== HAND && place !== now.state.at) return travel(now, place);
  if (!isKnown(now, thing)) return look(now);
  const shut = shutAround(now, thing);
  return shut === null
    ? look(now)
    : { thought: `${PHRASES.open} ${name(now, shut)}.`, action: say(open, now, shut) };
}

/** The outermost closed container of a thing. */
function shutAround(now: SciWorldNow, thing: number): number | null {
  const { task, state } = now;
  let found: number | null = null;
  for (
    let place = state.within[thing] ?? NOWHERE;
    place >= 0 && !isRoom(task, place);
    place = state.within[place] ?? NOWHERE
  ) {
    if (!isOpen(now, place)) found = place;
  }
  return found;
}

/** Brings a thing into or onto another, possibly in another room. */
function bring(now: SciWorldNow, thing: number, place: number, why: string): Demonstration {
  const here = placeOf(now, place) === now.state.at && isKnown(now, place);
  const seen = approach(now, thing);
  if (seen !== null) return seen;
  if (!here && !isHeld(now, thing)) {
    const carried = carrierOf(now, thing);
    if (!isHeld(now, carried)) {
      return {
        thought: `${PHRASES.carry} ${name(now, carried)}.`,
        action: say(pickUp, now, carried),
      };
    }
  }
  const reached = approach(now, place);
  if (reached !== null) return reached;
  if (!isOpen(now, place)) {
    return { thought: `${PHRASES.open} ${name(now, place)}.`, action: say(open, now, place) };
  }
  return { thought: `${why} ${name(now, place)}.`, action: say(move, now, thing, place) };
}

/** What to carry in order to move a thing: itself or its container. */
function carrierOf(now: SciWorldNow, thing: number): number {
  return moves(now, thing) ? thing : (now.state.within[thing] ?? thing);
}

function focusOn(now: SciWorldNow, thing: number, why: string): Demonstration {
  return (
    approach(now, thing) ?? {
      thought: `${why} ${name(now, thing)}.`,
      action: say(focus, now, thing),
    }
  );
}

function find(now: SciWorldNow, aim: AimOf<'find'>): Demonstration {
  const { task, state } = now;
  if (state.own.reached > 0) return bring(now, state.own.focus, aim.box, PHRASES.belongs);
  const known = state.within.flatMap((_, thing) =>
    isOf(task, thing, aim.sorts) && isKnown(now, thing) ? thing : [],
  );
  const nearest = least(known, (thing) => distance(now, placeOf(now, thing)));
  return nearest === undefined ? search(now) : focusOn(now, nearest, PHRASES.fits);
}

function compare(now: SciWorldNow, aim: AimOf<'life span'>): Demonstration {
  const { state } = now;
  const animal = aim.order[state.own.reached] ?? -1;
  if (!isKnown(now, animal) && !has(state, aim.room, SEEN)) {
    return state.at === aim.room ? look(now) : travel(now, aim.room);
  }
  return focusOn(now, animal, PHRASES.lives);
}

function change(now: SciWorldNow, aim: AimOf<'change'>): Demonstration {
  const { task, state } = now;
  const { material } = aim;
  if (state.own.reached === 0) return focusOn(now, material, PHRASES.fits);
  const carried = carrierOf(now, material);
  const device = deviceFor(now, aim);
  const why = aim.to === 'solid' ? PHRASES.colder : PHRASES.hotter;
  if (state.within[carried] !== device) return bring(now, carried, device, why);
  if (isOn(now, device)) return { thought: PHRASES.time, action: say(wait, now) };
  return (
    approach(now, device) ?? {
      thought: `${PHRASES.turnOn} ${name({ task, state }, device)}.`,
      action: say(activate, now, device),
    }
  );
}

/** The device that reaches the temperature with the smallest margin. */
function deviceFor({ task }: SciWorldNow, { material, to }: AimOf<'change'>): number {
  const { melts = 0, boils = 0 } = task.entries[material] ?? {};
  const wanted = to === 'gas' ? boils : melts;
  const spare = (device: number): number => {
    const degrees = task.entries[device]?.degrees ?? 0;
    const over = to === 'solid' ? wanted - degrees : degrees - wanted;
    return over > 0 ? over : Number.POSITIVE_INFINITY;
  };
  const devices = task.entries.flatMap(({ sort }, thing) => (sort === 'device' ? thing : []));
  return least(devices, spare) ?? -1;
}

function measure(now: SciWorldNow, aim: AimOf<'measure'>): Demonstration {
  const { reached } = now.state.own;
  const { thermometer, material, box } = aim;
  if (reached === 0) return focusOn(now, thermometer, PHRASES.task);
  if (reached === 3) return bring(now, material, box, PHRASES.belongs);
  if (!isHeld(now, thermometer)) {
    return (
      approach(now, thermometer) ?? {
        thought: `${PHRASES.carry} ${name(now, thermometer)}.`,
        action: say(pickUp, now, thermometer),
      }
    );
  }
  if (!isKnown(now, material) && !has(now.state, aim.room, SEEN)) {
    return now.state.at === aim.room ? look(now) : travel(now, aim.room);
  }
  if (reached === 1) return focusOn(now, material, PHRASES.task);
  return (
    approach(now, material) ?? {
      thought: `${PHRASES.measure} ${name(now, material)}.`,
      action: say(use, now, thermometer, material),
    }
  );
}

function paint(now: SciWorldNow, aim: AimOf<'paint'>): Demonstration {
  const { task, state } = now;
  if (state.within[aim.paint] !== NOWHERE) return focusOn(now, aim.paint, PHRASES.task);
  const [first, second] = aim.of;
  const [from = NOWHERE, into = NOWHERE] = aim.of.map((one) => state.within[one]);
  const seen = approach(now, first) ?? approach(now, second);
  if (seen !== null) {
    // One component is in another room: the agent carries the visible one there.
    const here = isSeen(now, first) ? from : isSeen(now, second) ? into : NOWHERE;
    const carry = here >= 0 && !isHeld(now, here) && moves(now, here);
    if (!carry || !isKnown(now, first) || !isKnown(now, second)) return seen;
    return { thought: `${PHRASES.carry} ${name(now, here)}.`, action: say(pickUp, now, here) };
  }
  if (from === into) {
    return { thought: `${PHRASES.mix} ${name(now, into)}.`, action: say(mix, now, into) };
  }
  const other = contentsOf(state, into).length > 0 && sortOf(task, into) === 'container';
  return {
    thought: `${PHRASES.together} ${name(now, into)}.`,
    action: other ? say(pour, now, from, into) : say(lookAround, now),
  };
}
