/** ALFWorld's texts in the original's wording, with spaces instead of line breaks. */

import { contentsOf, type HouseState } from '../core/house.ts';
import { goodKinds, receptacleKinds } from './catalogue.ts';
import { type AlfworldNow, type AlfworldTask, held, isOpen, opens } from './world.ts';

/** Maximum number of things of one kind in a room. */
export const MOST_OF_A_KIND = 6;

export const NOTHING_HAPPENS = 'Nothing happens.';
export const NOT_UNDERSTOOD = `Unknown action. ${NOTHING_HAPPENS}`;
const MIDDLE = 'You are in the middle of a room. Looking quickly around you, you see';
const TASK = 'Your task is to:';
const AVAILABLE = 'AVAILABLE ACTIONS:';
const EMPTY_HANDED = 'You are not carrying anything.';

/** `a mug 1, and a pen 2`. */
function listing(task: AlfworldTask, things: readonly number[]): string {
  if (things.length === 0) return 'nothing';
  let text = '';
  for (const [i, thing] of things.entries()) {
    const before = i === 0 ? 'a' : i === things.length - 1 ? ', and a' : ', a';
    text += `${before} ${task.house.names[thing]}`;
  }
  return text;
}

const contents = (task: AlfworldTask, state: Pick<HouseState, 'within'>, place: number) =>
  listing(task, contentsOf(state, place));

/** The description of a receptacle for an agent in front of it. */
export function placeText(now: AlfworldNow, place: number): string {
  const { task, state } = now;
  const name = task.house.names[place];
  if (!opens(task, place)) return `On the ${name}, you see ${contents(task, state, place)}.`;
  if (!isOpen(now, place)) return `The ${name} is closed.`;
  return openText(task, state, place);
}

export function openText(
  task: AlfworldTask,
  state: Pick<HouseState, 'within'>,
  place: number,
): string {
  return `The ${task.house.names[place]} is open. In it, you see ${contents(task, state, place)}.`;
}

export function roomText({ task }: AlfworldNow): string {
  return `${MIDDLE} ${listing(task, [...Array(task.places).keys()])}.`;
}

export function lookText(now: AlfworldNow): string {
  const { task, state } = now;
  if (state.at < 0) return roomText(now);
  return `You are facing the ${task.house.names[state.at]}. ${placeText(now, state.at)}`;
}

export function inventoryText(now: AlfworldNow): string {
  const thing = held(now);
  return thing === undefined ? EMPTY_HANDED : `You are carrying: a ${now.task.house.names[thing]}.`;
}

export const taskText = ({ goal }: AlfworldTask): string => `${TASK} ${goal}`;

export const availableText = (actions: readonly string[]): string =>
  `${AVAILABLE} ${actions.join(', ')}`;

/** Lexemes of observations other than the words of actions. */
export const ALFWORLD_LEXICON: readonly string[] = [
  ...[MIDDLE, TASK, AVAILABLE, EMPTY_HANDED, NOTHING_HAPPENS, 'Unknown action.'],
  ...['a', 'and a', 'nothing', ',', '.'],
  ...receptacleKinds,
  ...goodKinds,
  ...Array.from({ length: MOST_OF_A_KIND }, (_, i) => String(i + 1)),
  ...['On the', 'you see', 'The', 'is closed.', 'is open. In it, you see'],
  ...['You are facing the', 'You are carrying: a'],
  ...['You open the', 'You close the', 'You pick up the', 'from the', 'You put the', 'in/on the'],
  ...['You heat the', 'You cool the', 'You clean the', 'using the'],
  ...['You slice the', 'with the', 'You turn on the'],
  ...[
    'This is a',
    'clean',
    'hot',
    'cool',
    'sliced',
    'shining',
    'There is nothing special about the',
  ],
  // Goals.
  ...['put a', 'put a clean', 'put a hot', 'put a cool', 'put two', 'in', 'look at a', 'under the'],
];
