/** SciWorld's texts in the original's wording, with commas instead of line breaks. */

import { contentsOf, HAND } from '../core/house.ts';
import { CLASSES, ENTRIES } from './catalogue.ts';
import { ROOMS } from './map.ts';
import {
  holds,
  isOn,
  isOpen,
  isPassable,
  opens,
  type SciWorldNow,
  type SciWorldTask,
  sortOf,
} from './world.ts';

export const NO_ACTION = 'No known action matches that input.';
export const NOT_UNDERSTOOD = `Unknown action. ${NO_ACTION}`;

/** Readings are rounded to tens; above the maximum, the text only says that the temperature is higher. */
const COLDEST = -80;
const HOTTEST = 600;

/** Fixed sentences and parts of sentences; each is one lexeme. */
export const SAYS = {
  room: 'This room is called the',
  inIt: 'In it, you see:',
  also: 'You also see:',
  door: 'a door to the',
  inventory: 'In your inventory, you see:',
  nothing: 'nothing',
  a: 'a',
  substance: 'a substance called',
  containing: '(containing',
  open: '(that is open)',
  closed: '(that is closed)',
  on: '(that is turned on)',
  off: '(that is turned off)',
  moveTo: 'You move to the',
  move: 'You move the',
  to: 'to the',
  toInventory: 'to the inventory.',
  the: 'The',
  doorOpen: 'The door is now open.',
  doorClosed: 'The door is now closed.',
  doorAlready: 'The door is already open.',
  doorAlreadyClosed: 'The door is already closed.',
  doorNotOpen: 'The door is not open.',
  noWay: 'It is not clear how to get there from here.',
  isOpen: 'is now open.',
  isClosed: 'is now closed.',
  isActivated: 'is now activated.',
  isDeactivated: 'is now deactivated.',
  notOpenable: 'is not openable.',
  notOpen: 'is not open.',
  alreadyOpen: 'is already open.',
  alreadyClosed: 'is already closed.',
  notMoveable: 'is not moveable.',
  notContainer: 'is not a container.',
  notDevice: 'is not something that can be activated.',
  alreadyOn: 'is already activated.',
  alreadyOff: 'is already deactivated.',
  focus: 'You focus on the',
  pour: 'You pour the contents of the',
  into: 'into the',
  empty: 'is empty.',
  mix: 'mix to produce',
  mixed: 'The contents of the',
  noMix: 'do not appear to produce anything new.',
  measures: 'The thermometer measures a temperature of',
  above: 'The thermometer measures more than',
  degrees: 'degrees celsius.',
  noUse: 'It is not clear how to use those two things together.',
  itself: 'Nothing can be put into itself.',
  wait: 'You decide to wait for 10 iterations.',
  wait1: 'You decide to wait for 1 iterations.',
  isA: 'is a',
  solid: 'solid.',
  liquid: 'liquid.',
  gas: 'gas.',
  sees: 'You see nothing special about the',
  inThe: 'In the',
  youSee: 'you see:',
  failed: 'That was the wrong thing, and the task has failed.',
  done: 'The task is completed.',
} as const;

/** Parts of task descriptions; each is one lexeme. */
export const TASKS = {
  find: 'Your task is to find a(n)',
  findThen: 'First, focus on the thing. Then, move it to the',
  inThe: 'in the',
  longest: 'Your task is to find the animal with the longest life span. The animals are in the',
  shortest: 'Your task is to find the animal with the shortest life span. The animals are in the',
  both: 'Your task is to find the animal with the longest life span, then the one with the shortest life span. The animals are in the',
  location: 'location.',
  focusLongest: 'Focus on the animal with the longest life span.',
  focusShortest: 'Focus on the animal with the shortest life span.',
  focusBoth:
    'First, focus on the animal with the longest life span. Then, focus on the animal with the shortest life span.',
  gas: 'Your task is to boil',
  liquid: 'Your task is to melt',
  solid: 'Your task is to freeze',
  changeThen:
    'First, focus on the substance. Then, take actions that will cause it to change its state of matter.',
  measure: 'Your task is to measure the temperature of the',
  located: 'which is located around the',
  measureThen: 'First, focus on the thermometer. Next, focus on the',
  above: 'If its temperature is above',
  below: 'If its temperature is below',
  place: 'degrees celsius, place it in the',
  boxes: 'The boxes are located around the',
  paint: 'Your task is to use chemistry to create',
  paintThen: 'When you are done, focus on it.',
} as const;

const name = (task: SciWorldTask, thing: number): string => task.house.names[thing] ?? '';

/** `The stove`, followed by a statement. */
export const about = (now: SciWorldNow, thing: number, said: string): string =>
  `${SAYS.the} ${name(now.task, thing)} ${said}`;

const list = (parts: readonly string[]): string =>
  parts.length === 0 ? SAYS.nothing : parts.join(', ');

/** `a metal pot (containing a substance called water)`. */
function described(now: SciWorldNow, thing: number): string {
  const { task } = now;
  const sort = sortOf(task, thing);
  const called = sort === 'material' || sort === 'paint' ? SAYS.substance : SAYS.a;
  let text = `${called} ${name(task, thing)}`;
  if (sort === 'device' && task.entries[thing]?.always !== true) {
    text += ` ${isOn(now, thing) ? SAYS.on : SAYS.off}`;
  }
  if (opens(task, thing)) text += ` ${isOpen(now, thing) ? SAYS.open : SAYS.closed}`;
  if (!holds(task, thing) || !isOpen(now, thing)) return text;
  const inside = contentsOf(now.state, thing).map((other) => described(now, other));
  if (sort === 'device' && inside.length === 0) return text;
  return `${text} ${SAYS.containing} ${list(inside)})`;
}

export function roomText(now: SciWorldNow): string {
  const { task, state } = now;
  const things = contentsOf(state, state.at).map((thing) => described(now, thing));
  const doors = (task.ways[state.at] ?? []).map(
    (way) => `${SAYS.door} ${task.rooms[way.to]} ${isPassable(now, way) ? SAYS.open : SAYS.closed}`,
  );
  const room = `${SAYS.room} ${task.rooms[state.at]}. ${SAYS.inIt} ${list(things)}.`;
  return doors.length === 0 ? room : `${room} ${SAYS.also} ${list(doors)}.`;
}

export function inventoryText(now: SciWorldNow): string {
  return `${SAYS.inventory} ${list(contentsOf(now.state, HAND).map((thing) => described(now, thing)))}.`;
}

/** The reply to looking at a thing: its contents, its state, or nothing special. */
export function lookText(now: SciWorldNow, thing: number, matter: string | null): string {
  const { task, state } = now;
  if (holds(task, thing)) {
    if (!isOpen(now, thing)) return about(now, thing, SAYS.notOpen);
    const inside = contentsOf(state, thing).map((other) => described(now, other));
    return `${SAYS.inThe} ${name(task, thing)}, ${SAYS.youSee} ${list(inside)}.`;
  }
  return matter === null
    ? `${SAYS.sees} ${name(task, thing)}.`
    : about(now, thing, `${SAYS.isA} ${matter}.`);
}

/** What the thermometer shows. */
export function reading(degrees: number): string {
  if (degrees > HOTTEST) return `${SAYS.above} ${HOTTEST} ${SAYS.degrees}`;
  return `${SAYS.measures} ${shown(degrees)} ${SAYS.degrees}`;
}

const shown = (degrees: number): number =>
  Math.max(COLDEST - 10, Math.round(degrees / 10) * 10) || 0;

const readings = Array.from({ length: (HOTTEST - COLDEST) / 10 + 2 }, (_, i) =>
  String(COLDEST - 10 + 10 * i),
);

/** Lexemes of observations other than the words of actions. */
export const SCIWORLD_LEXICON: readonly string[] = [
  ...Object.values(SAYS),
  ...Object.values(TASKS),
  ...['Unknown action.', NO_ACTION, ',', '.', ')', 'and'],
  ...ROOMS,
  ...Object.keys(ENTRIES),
  ...Object.keys(CLASSES),
  ...readings,
];
