/** Tasks of a household by number, each drawn from its own seed, the same on every machine. */

import { mersenne } from 'pure-rand/generator/mersenne';
import { oneOf } from '../../draws.ts';
import { fnv1a } from '../../hash.ts';
import { placeOf, remembered } from '../../numbered-tasks.ts';
import { type Goal, type HouseTask, type Kit, RUNGS, type Rung } from './kit.ts';

/** One goal in this many is held out for evaluation. */
const HELD_OUT = 5;
/** Maximum number of houses drawn for a task; a goal that needs more is broken. */
const MOST_DRAWS = 1000;

const isHeldOut = ({ text }: Goal): boolean => fnv1a(text) % HELD_OUT === 0;

/**
 * The tasks of some rungs by number, each drawn once. Rungs alternate, and so do the kinds of goals of each
 * rung.
 * @param plays whether a house yields a valid task: the expert solves it within the limit, and it is not
 * solved at the start
 * @returns a function that throws a RangeError for a number without a task
 */
export function tasksOf<G extends Goal, Task extends HouseTask<Own>, Own>(
  kit: Kit<G, Task, Own>,
  rungs: readonly Rung[],
  plays: (task: Task) => boolean,
): (n: number) => Task {
  const goals = new Map(rungs.map((rung) => [rung, splitGoals(kit.goals(rung))]));
  const draw = (n: number): Task => {
    const { split, index } = placeOf(n);
    const rung = rungs[index % rungs.length] ?? 'one';
    const round = Math.floor(index / rungs.length);
    const kinds = goals.get(rung)?.[split] ?? [];
    const random = mersenne(fnv1a(`${kit.name} ${RUNGS.indexOf(rung) + 1} ${split} ${round}`));
    for (let draws = 0; draws < MOST_DRAWS; draws++) {
      const goal = oneOf(kinds[round % kinds.length] ?? [], random);
      const task = kit.furnish(goal, rung, random);
      if (task !== null && plays(task)) return task;
    }
    throw new Error(`${kit.id} finds no house for task ${n}`);
  };

  return remembered(kit.id, draw);
}

/** The goals of each kind for training and for evaluation. */
function splitGoals<G extends Goal>(kinds: readonly (readonly G[])[]) {
  return {
    train: kinds.map((goals) => goals.filter((goal) => !isHeldOut(goal))),
    eval: kinds.map((goals) => goals.filter(isHeldOut)),
  };
}
