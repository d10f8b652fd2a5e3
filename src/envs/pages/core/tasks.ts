/** Tasks of a kit by number, each drawn from a seed of its own, the same ones everywhere. */

import { mersenne } from 'pure-rand/generator/mersenne';
import { fnv1a } from '../../hash.ts';
import { type Goal, type Kit, RUNGS, type Rung } from './kit.ts';

export const TRAIN_TASKS = 4096;
export const EVAL_TASKS = 128;
export const FIRST_EVAL_TASK = 100_000;

/** Of so many things that can be asked one is kept for evaluation. */
const HELD_OUT = 5;
/** Tasks that are drawn for a number at most; a kit that needs more is at fault. */
const MOST_DRAWS = 10_000;

export const isTaskNumber = (n: unknown): n is number =>
  typeof n === 'number' &&
  Number.isInteger(n) &&
  ((n >= 0 && n < TRAIN_TASKS) || (n >= FIRST_EVAL_TASK && n < FIRST_EVAL_TASK + EVAL_TASKS));

/**
 * The task with this number. Rungs take turns.
 *
 * Throws an Error where a kit hardly ever finds one.
 */
export function drawTask<Task extends Goal, Place>(
  kit: Kit<Task, Place>,
  rungs: readonly Rung[],
  n: number,
): Task {
  const evaluation = n >= FIRST_EVAL_TASK;
  const i = evaluation ? n - FIRST_EVAL_TASK : n;
  const rung = rungs[i % rungs.length] ?? 'one';
  const round = Math.floor(i / rungs.length);
  const split = evaluation ? 'eval' : 'train';
  const random = mersenne(fnv1a(`${kit.name} ${RUNGS.indexOf(rung) + 1} ${split} ${round}`));
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const task = kit.draw(rung, random);
    if (task !== null && (fnv1a(task.asked) % HELD_OUT === 0) === evaluation) return task;
  }
  throw new Error(`${kit.id} finds no task ${n}`);
}
