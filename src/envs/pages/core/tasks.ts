/** Tasks of a kit by number, each drawn from its own seed, the same on every machine. */

import { mersenne } from 'pure-rand/generator/mersenne';
import { fnv1a } from '../../hash.ts';
import { placeOf } from '../../numbered-tasks.ts';
import { type Goal, type Kit, RUNGS, type Rung } from './kit.ts';

/** One goal in this many is held out for evaluation. */
const HELD_OUT = 5;
/** Maximum number of draws for a task; a kit that needs more is broken. */
const MOST_DRAWS = 10_000;

/**
 * The task with this number. Rungs alternate.
 * Throws an Error if a kit hardly ever yields a task.
 */
export function drawTask<Task extends Goal, Place>(
  kit: Kit<Task, Place>,
  rungs: readonly Rung[],
  n: number,
): Task {
  const { split, index } = placeOf(n);
  const rung = rungs[index % rungs.length] ?? 'one';
  const round = Math.floor(index / rungs.length);
  const random = mersenne(fnv1a(`${kit.name} ${RUNGS.indexOf(rung) + 1} ${split} ${round}`));
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const task = kit.draw(rung, random);
    if (task !== null && (fnv1a(task.asked) % HELD_OUT === 0) === (split === 'eval')) return task;
  }
  throw new Error(`${kit.id} finds no task ${n}`);
}
