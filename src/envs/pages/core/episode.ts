/** Derives an episode from its task and the agent's texts. */

import { remembered } from '../../numbered-tasks.ts';
import { isTranscriptState, readEpisodes, type TranscriptState } from '../../said-texts.ts';
import type { Goal, Kit, Rung } from './kit.ts';
import { drawTask } from './tasks.ts';

/** Maximum length of an action; longer ones are not parsed. */
export const MAX_ACTION_LENGTH = 1000;

/** Characters kept of a text: one more than the limit, so that a longer text is recognized. */
const MOST_SAID = MAX_ACTION_LENGTH + 1;

export type PagesState = TranscriptState;

/** The result of one text. */
export interface Turn<Place> {
  readonly text: string;
  readonly understood: boolean;
  /** The place after the text. */
  readonly place: Place;
}

export interface Episode<Task, Place> {
  readonly task: Task;
  readonly turns: readonly Turn<Place>[];
  readonly place: Place;
  /** The score; null while the episode continues, and if the turns are used up. */
  readonly score: number | null;
  readonly over: boolean;
}

/** Derives the episodes of a kit. */
export interface Desk<Task extends Goal, Place> {
  readonly kit: Kit<Task, Place>;
  /** Throws a RangeError for a number without a task. */
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
      turns: [...turns, { text: said, ...acted }],
      place: acted.place,
      score,
      over: score !== null || turns.length + 1 >= kit.turnLimit,
    };
  };

  return { kit, taskOf, ...readEpisodes(begun, next, MOST_SAID) };
}

/** A generous limit on the turns of any kit. */
const MOST_TURNS = 100;

/** Whether a value from storage or a worker is a state of these environments. */
export const isPagesState = (value: unknown): value is PagesState =>
  isTranscriptState(value, MOST_TURNS, MOST_SAID);
