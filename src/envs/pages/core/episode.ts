/** An episode as it follows from its task and from what was said, turn by turn. */

import type { Goal, Kit, Rung } from './kit.ts';
import { drawTask, isTaskNumber } from './tasks.ts';

/** Characters of an action; a longer one is not read. */
export const MAX_ACTION_LENGTH = 1000;

/** What was said; everything else follows from it. */
export interface PagesState {
  /** The n of the task id `webshop_<n>`. */
  readonly task: number;
  /** Oldest first, each cut where it is too long to be read anyway. */
  readonly said: readonly string[];
}

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

/** Tasks that are remembered; then the memory is emptied. */
const REMEMBERED_TASKS = 5000;

export function openDesk<Task extends Goal, Place>(
  kit: Kit<Task, Place>,
  rungs: readonly Rung[],
): Desk<Task, Place> {
  const tasks = new Map<number, Task>();
  // What follows from a state is kept beside it, so that a turn reads only what was said last.
  const episodes = new WeakMap<PagesState, Episode<Task, Place>>();

  const taskOf = (n: number): Task => {
    if (!isTaskNumber(n)) throw new RangeError(`${kit.id} has no task ${n}`);
    let task = tasks.get(n);
    if (task === undefined) {
      task = drawTask(kit, rungs, n);
      if (tasks.size >= REMEMBERED_TASKS) tasks.clear();
      tasks.set(n, task);
    }
    return task;
  };

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

  const read = (state: PagesState): Episode<Task, Place> => {
    let episode = episodes.get(state);
    if (episode === undefined) {
      episode = state.said.reduce(next, begun(state.task));
      episodes.set(state, episode);
    }
    return episode;
  };

  return {
    kit,
    taskOf,
    read,
    said(state, text) {
      const kept = text.slice(0, MAX_ACTION_LENGTH + 1);
      const after = { task: state.task, said: [...state.said, kept] };
      episodes.set(after, next(read(state), kept));
      return after;
    },
  };
}

/** Most turns of any kit, with room. */
const MOST_TURNS = 100;

/** True for a value that is a state of these environments, as one that came from storage or a worker. */
export function isPagesState(value: unknown): value is PagesState {
  if (typeof value !== 'object' || value === null) return false;
  const { task, said } = value as Record<string, unknown>;
  return (
    isTaskNumber(task) &&
    Array.isArray(said) &&
    said.length <= MOST_TURNS &&
    said.every((text) => typeof text === 'string' && text.length <= MAX_ACTION_LENGTH + 1)
  );
}
