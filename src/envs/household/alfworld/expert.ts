/**
 * Searches likely places first, then the others; takes the thing, treats it and brings it to its destination.
 */

import type { Demonstration } from '../../types.ts';
import { has } from '../core/house.ts';
import { type GoodKind, goodOf } from './catalogue.ts';
import { go, open, put, say, take, treatments, use } from './verbs.ts';
import {
  type AlfworldNow,
  fits,
  held,
  isOpen,
  isReady,
  isWanted,
  lampsAt,
  placesOf,
  readyIn,
  SEEN,
} from './world.ts';

/** Phrases of the thoughts; each is one lexeme. */
const PHRASES = {
  search: 'I look for a',
  maybe: 'It may be at the',
  found: 'I know where the',
  is: 'is.',
  see: 'I see the',
  needs: 'has to be made',
  first: 'first.',
  carry: 'I carry the',
  to: 'to the',
  here: 'belongs in/on the',
  rid: 'I do not need the',
  the: 'The',
  closed: 'is closed.',
  shine: 'I turn on the',
} as const;

export const ALFWORLD_THOUGHTS: readonly string[] = [
  ...Object.values(PHRASES),
  'clean',
  'hot',
  'cool',
];

/** The next action from any state. */
export function advise(now: AlfworldNow): Demonstration {
  const { task } = now;
  const thing = held(now);
  if (thing !== undefined && !isWanted(task, thing)) return putAway(now, thing);
  if (task.aim.target === null) return lookAt(now, thing);
  if (thing === undefined) return fetch(now);
  return isReady(now, thing) ? bring(now, thing) : treat(now, thing);
}

const name = ({ task }: AlfworldNow, thing: number) => task.house.names[thing] ?? '';

/** Whether the agent is at a place and can reach its contents. */
const isBefore = (now: AlfworldNow, place: number) => now.state.at === place && isOpen(now, place);

/** Goes to a place, or opens it if the agent is there. */
function approach(now: AlfworldNow, place: number, why: string): Demonstration {
  if (now.state.at !== place) return { thought: why, action: say(go, now, place) };
  return {
    thought: `${PHRASES.the} ${name(now, place)} ${PHRASES.closed}`,
    action: say(open, now, place),
  };
}

/** The next place to search for a kind of thing: likely places first. */
function search(now: AlfworldNow, kind: GoodKind): Demonstration {
  const { task, state } = now;
  const unseen = [...Array(task.places).keys()].filter((place) => !has(state, place, SEEN));
  const likely = unseen.filter((place) =>
    goodOf(kind).places.some((other) => other === task.kinds[place]),
  );
  const next = [state.at, ...likely, ...unseen].find((place) => unseen.includes(place));
  const why = `${PHRASES.search} ${kind}.`;
  if (next === undefined) throw new Error(`there is no ${kind} in the room of “${task.goal}”`);
  return approach(now, next, `${why} ${PHRASES.maybe} ${name(now, next)}.`);
}

/**
 * Things of the requested kind that the agent has seen in a receptacle, those already treated as required
 * first. If the goal asks for two, things at their destination are left out.
 */
function known(now: AlfworldNow): readonly number[] {
  const { task, state } = now;
  const target = task.aim.count === 2 ? targetOf(now) : -1;
  const there = state.within.flatMap((where, thing) =>
    isWanted(task, thing) && where >= 0 && where !== target && has(state, where, SEEN) ? thing : [],
  );
  return [...there.filter((thing) => isReady(now, thing)), ...there];
}

function fetch(now: AlfworldNow): Demonstration {
  const { within } = now.state;
  const there = known(now);
  const thing = there.find((one) => within[one] === now.state.at) ?? there[0];
  if (thing === undefined) return search(now, now.task.aim.thing);
  const place = within[thing] ?? now.state.at;
  const what = name(now, thing);
  if (!isBefore(now, place)) return approach(now, place, `${PHRASES.found} ${what} ${PHRASES.is}`);
  return { thought: `${PHRASES.see} ${what}.`, action: say(take, now, thing, place) };
}

/** The receptacle of the target kind that holds the most things as the goal requires; −1 for no target. */
function targetOf(now: AlfworldNow): number {
  const { target } = now.task.aim;
  const places = target === null ? [] : placesOf(now.task, target);
  const most = Math.max(...places.map((place) => readyIn(now, place).length));
  return places.find((place) => readyIn(now, place).length === most) ?? -1;
}

function bring(now: AlfworldNow, thing: number): Demonstration {
  const place = targetOf(now);
  const [what, where] = [name(now, thing), name(now, place)];
  if (!isBefore(now, place)) {
    return approach(now, place, `${PHRASES.carry} ${what} ${PHRASES.to} ${where}.`);
  }
  return {
    thought: `${PHRASES.the} ${what} ${PHRASES.here} ${where}.`,
    action: say(put, now, thing, place),
  };
}

/** Treats a thing at its appliance, which may stay closed. */
function treat(now: AlfworldNow, thing: number): Demonstration {
  const { treatment } = now.task.aim;
  const { appliance, verb } = treatments[treatment ?? 'clean'];
  const [place = -1] = placesOf(now.task, appliance);
  const thought = `${PHRASES.the} ${name(now, thing)} ${PHRASES.needs} ${treatment ?? 'clean'} ${PHRASES.first}`;
  return {
    thought,
    action: now.state.at === place ? say(verb, now, thing, place) : say(go, now, place),
  };
}

function lookAt(now: AlfworldNow, thing: number | undefined): Demonstration {
  if (thing === undefined) return fetch(now);
  const { state, task } = now;
  const place = [...Array(task.places).keys()].find(
    (one) => has(state, one, SEEN) && lampsAt(now, one).length > 0,
  );
  if (place === undefined) return search(now, 'desklamp');
  const [lamp = -1] = lampsAt(now, place);
  if (!isBefore(now, place)) {
    const why = `${PHRASES.carry} ${name(now, thing)} ${PHRASES.to} ${name(now, lamp)}.`;
    return approach(now, place, why);
  }
  return { thought: `${PHRASES.shine} ${name(now, lamp)}.`, action: say(use, now, lamp) };
}

/** Puts a thing where it belongs, preferably here. */
function putAway(now: AlfworldNow, thing: number): Demonstration {
  const { task, state } = now;
  const fitting = [...Array(task.places).keys()].filter((place) => fits(task, thing, place));
  const place =
    fitting.find((one) => one === state.at) ??
    fitting.find((one) => isOpen(now, one)) ??
    fitting[0] ??
    -1;
  const thought = `${PHRASES.rid} ${name(now, thing)}.`;
  if (!isBefore(now, place)) return approach(now, place, thought);
  return { thought, action: say(put, now, thing, place) };
}
