/** The data that the view draws for a state. */

import { isTaskNumber } from '../../numbered-tasks.ts';
import type { Icon } from '../icons.ts';
import { HAND, type HouseState } from './house.ts';
import { MAX_ACTION_LENGTH } from './verbs.ts';

/** Shape of a place: a worktop, a case with a door, a seat, a basin, a bin, a rail, a room. */
export type Form = 'top' | 'case' | 'seat' | 'basin' | 'bin' | 'rail' | 'room';

export interface SceneItem {
  readonly thing: number;
  readonly name: string;
  readonly icon: Icon;
  /** Properties, one word each, such as `hot`. */
  readonly notes: readonly string[];
  /** Whether the goal is about it. */
  readonly wanted: boolean;
  /** Whether the agent has not seen it yet. */
  readonly unseen: boolean;
  /** The thing that contains it; null if it is directly in the place. */
  readonly inside: number | null;
}

export interface ScenePlace {
  readonly thing: number;
  readonly name: string;
  readonly form: Form;
  readonly color: string;
  /** Null if there is nothing to open. */
  readonly open: boolean | null;
  /** Whether the goal needs something to be there, or to be done with it. */
  readonly wanted: boolean;
  readonly seen: boolean;
  readonly here: boolean;
  readonly items: readonly SceneItem[];
  /** Column and row on a floor plan; null if places are arranged in rows, as many in each as fit. */
  readonly cell: { readonly column: number; readonly row: number } | null;
}

/** A passage between two places. */
export interface SceneDoor {
  readonly between: readonly [number, number];
  readonly open: boolean;
}

/** A sub-goal that the score counts. */
interface SceneStep {
  readonly text: string;
  readonly done: boolean;
  /** Whether success requires it. */
  readonly must: boolean;
}

export interface HouseScene {
  readonly goal: string;
  readonly places: readonly ScenePlace[];
  readonly doors: readonly SceneDoor[];
  readonly carried: readonly SceneItem[];
  /** Empty if only the final state counts. */
  readonly steps: readonly SceneStep[];
  /** The last action; empty at the start. */
  readonly said: string;
  readonly answer: string;
  /** Whether the last action had no effect. */
  readonly refused: boolean;
  readonly turn: number;
  readonly turnLimit: number;
  readonly outcome: 'running' | 'success' | 'lost' | 'out of turns';
}

/** Generous limits on the number of things in a house and of turns in an episode. */
const MOST_THINGS = 200;
const MOST_TURNS = 1000;
const LONGEST_ANSWER = 5000;

const isList = (value: unknown, least: number): value is readonly number[] =>
  Array.isArray(value) &&
  value.length <= MOST_THINGS &&
  value.every((n) => Number.isInteger(n) && n >= least);

/** Whether a value is a state of these environments, except for `own`. */
export function isHouseState(value: unknown): value is HouseState {
  if (typeof value !== 'object' || value === null) return false;
  const { task, turn, at, within, marks, said, answer } = value as Record<string, unknown>;
  return (
    isTaskNumber(task) &&
    isList([turn], 0) &&
    Number(turn) <= MOST_TURNS &&
    isList([at], -2) &&
    Number(at) < MOST_THINGS &&
    isList(within, -2) &&
    isList(marks, 0) &&
    within.length === marks.length &&
    typeof said === 'string' &&
    said.length <= MAX_ACTION_LENGTH &&
    typeof answer === 'string' &&
    answer.length <= LONGEST_ANSWER
  );
}

/** Whether a state fits a house with this number of things. */
export const isOfHouse = ({ at, within }: HouseState, things: number): boolean =>
  within.length === things && at < things && within.every((where) => where < things);

export const isCarried = ({ within }: HouseState, thing: number): boolean => within[thing] === HAND;

/** Replaces control characters and lone surrogates, which a page cannot show, with spaces. */
export const presentable = (text: string): string => text.replace(/[\p{Cc}\p{Cs}]/gu, ' ');

/** Text description of the scene for screen readers. */
export function describeScene(scene: HouseScene): string {
  const { goal, places, carried, steps, said, answer, turn, turnLimit, outcome } = scene;
  const named = ({ name, notes }: SceneItem) => [...notes, name].join(' ');
  const here = places.find((place) => place.here);
  const lying = here?.items.filter(({ unseen }) => !unseen).map(named) ?? [];
  const done = steps.filter((step) => step.done).map(({ text }) => text);
  const ends = {
    running: '',
    success: ' The task is done.',
    lost: ' The task has failed.',
    'out of turns': ' No turns are left.',
  };
  return [
    `Task: ${goal}`,
    here === undefined ? 'The agent has not moved yet.' : `The agent is at: ${here.name}.`,
    ...(here === undefined ? [] : [`In view: ${lying.join(', ') || 'nothing'}.`]),
    `It carries: ${carried.map(named).join(', ') || 'nothing'}.`,
    ...(done.length === 0 ? [] : [`Done: ${done.join('; ')}.`]),
    ...(said === '' ? [] : [`Last action: ${presentable(said)}. ${answer}`]),
    `Turn ${turn} of ${turnLimit}.${ends[outcome]}`,
  ].join(' ');
}
