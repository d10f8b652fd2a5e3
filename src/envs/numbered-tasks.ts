/** Numbered tasks: training tasks count from 0, evaluation tasks from `FIRST_EVAL_TASK`. */

import { leftOutTasks } from './left-out-tasks.ts';
import { UnknownTaskError } from './types.ts';

const TRAIN_TASKS = 4096;
const EVAL_TASKS = 128;
const FIRST_EVAL_TASK = 100_000;
/** Number of evaluation ids. It exceeds `EVAL_TASKS` because some tasks are omitted. */
const EVAL_NUMBERS = 192;

/** Maximum number of cached tasks. The cache is cleared when full. */
const REMEMBERED_TASKS = 5000;

type Split = 'train' | 'eval';

export const isTaskNumber = (n: unknown): n is number =>
  typeof n === 'number' &&
  Number.isInteger(n) &&
  ((n >= 0 && n < TRAIN_TASKS) || (n >= FIRST_EVAL_TASK && n < FIRST_EVAL_TASK + EVAL_NUMBERS));

/** The split of a task and its index there, from 0. */
export function placeOf(n: number): { readonly split: Split; readonly index: number } {
  return n >= FIRST_EVAL_TASK
    ? { split: 'eval', index: n - FIRST_EVAL_TASK }
    : { split: 'train', index: n };
}

/**
 * The task ids of an environment: `todo_0`, `todo_1` and so on. All `EVAL_NUMBERS` evaluation ids are valid;
 * `evalTasks` are the first `EVAL_TASKS` that are not omitted.
 */
export function numberedIds(environmentId: string, name: string, rungs: readonly string[]) {
  const from = (first: number, count: number): readonly string[] =>
    Array.from({ length: count }, (_, i) => `${name}_${first + i}`);
  const trainTasks = from(0, TRAIN_TASKS);
  const numbered = from(FIRST_EVAL_TASK, EVAL_NUMBERS);
  const rung = rungs.length === 1 ? rungs[0] : 'all';
  const leftOut = new Set(leftOutTasks[environmentId]?.[rung ?? 'all']);
  const evalTasks = numbered.filter((_, i) => !leftOut.has(i)).slice(0, EVAL_TASKS);
  const known = new Set([...trainTasks, ...numbered]);
  return {
    trainTasks,
    evalTasks,
    /** Throws UnknownTaskError. */
    numberOf: (id: string): number => {
      if (!known.has(id)) throw new UnknownTaskError(environmentId, id);
      return Number(id.slice(name.length + 1));
    },
  };
}

/**
 * Tasks by number, created on first use and cached.
 * @returns a function that throws a RangeError for a number without a task
 */
export function remembered<Task>(
  environmentId: string,
  draw: (n: number) => Task,
): (n: number) => Task {
  const drawn = new Map<number, Task>();
  return (n) => {
    if (!isTaskNumber(n)) throw new RangeError(`${environmentId} has no task ${n}`);
    let task = drawn.get(n);
    if (task === undefined) {
      task = draw(n);
      if (drawn.size >= REMEMBERED_TASKS) drawn.clear();
      drawn.set(n, task);
    }
    return task;
  };
}
