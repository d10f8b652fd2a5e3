/** An episode as it follows from its task and from what was said, turn by turn. */

import { remembered } from '../../numbered-tasks.ts';
import { isSaidState, readEpisodes, type SaidState } from '../../said-texts.ts';
import type { Goal, Kit, Rung } from './kit.ts';
import { drawTask } from './tasks.ts';

/** Characters of an action; a longer one is not read. */
export const MAX_ACTION_LENGTH = 1000;

/** Characters of a text that are kept: one more than is read, so that a longer one is seen to be. */
const MOST_SAID = MAX_ACTION_LENGTH + 1;

export type PagesState = SaidState;

/** What came of one text. */
export interface Turn<Place> {
  readonly said: string;
  readonly understood: boolean;
  /** Where it led. */
  readonly place: Place;
}

export interface Episode<Task, Place> {
  readonly task: Task;
  readonly turns: readonly Turn<Place>[];
  readonly place: Place;
  /** What it came to; null while it goes on and where the turns are used up. */
  readonly score: number | null;
  readonly over: boolean;
}

/** Reads the episodes of a kit. */
export interface Desk<Task extends Goal, Place> {
  readonly kit: Kit<Task, Place>;
  /** Throws a RangeError for a number that no task has. */
  taskOf(n: number): Task;
  read(state: PagesState): Episode<Task, Place>;
  /** The state after a text. */
  said(state: PagesState, text: string): PagesState;
}

export function openDesk<Task extends Goal, Place>(
  kit: Kit<Task, Place>,
  rungs: readonly Rung[],
): Desk<Task, Place> {
  const taskOf = remembered(kit.id, (n) => drawTask(kit, rungs, n));

  const begun = (n: number): Episode<Task, Place> => {
    const task = taskOf(n);
    return { task, turns: [], place: kit.start(task), score: null, over: false };
  };

  const next = (
    { task, turns, place }: Episode<Task, Place>,
    said: string,
  ): Episode<Task, Place> => {
    const acted = kit.act(task, place, said);
    const score = kit.score(task, acted.place);
    return {
      task,
      turns: [...turns, { said, ...acted }],
      place: acted.place,
      score,
      over: score !== null || turns.length + 1 >= kit.turnLimit,
    };
  };

  return { kit, taskOf, ...readEpisodes(begun, next, MOST_SAID) };
}

/** Most turns of any kit, with room. */
const MOST_TURNS = 100;

/** True for a value that is a state of these environments, as one that came from storage or a worker. */
export const isPagesState = (value: unknown): value is PagesState =>
  isSaidState(value, MOST_TURNS, MOST_SAID);
