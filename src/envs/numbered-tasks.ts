/** Tasks that are numbers: 0 and up for training, from `FIRST_EVAL_TASK` on for evaluation. */

import { UnknownTaskError } from './types.ts';

const TRAIN_TASKS = 4096;
const EVAL_TASKS = 128;
const FIRST_EVAL_TASK = 100_000;

/** Tasks that are remembered; then the memory is emptied. */
const REMEMBERED_TASKS = 5000;

type Split = 'train' | 'eval';

export const isTaskNumber = (n: unknown): n is number =>
  typeof n === 'number' &&
  Number.isInteger(n) &&
  ((n >= 0 && n < TRAIN_TASKS) || (n >= FIRST_EVAL_TASK && n < FIRST_EVAL_TASK + EVAL_TASKS));

/** Which split a task is of, and which one it is there, from 0. */
export function placeOf(n: number): { readonly split: Split; readonly index: number } {
  return n >= FIRST_EVAL_TASK
    ? { split: 'eval', index: n - FIRST_EVAL_TASK }
    : { split: 'train', index: n };
}

/** The tasks of an environment as its ids: `todo_0`, `todo_1` and so on. */
export function numberedIds(environmentId: string, name: string) {
  const from = (first: number, count: number): readonly string[] =>
    Array.from({ length: count }, (_, i) => `${name}_${first + i}`);
  const trainTasks = from(0, TRAIN_TASKS);
  const evalTasks = from(FIRST_EVAL_TASK, EVAL_TASKS);
  const known = new Set([...trainTasks, ...evalTasks]);
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
 * Tasks by number, each drawn when it is first asked for.
 *
 * @returns a function that throws a RangeError for a number that no task has.
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
