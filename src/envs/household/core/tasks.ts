/** Tasks of a household by number, each drawn from a seed of its own, the same ones everywhere. */

import { mersenne } from 'pure-rand/generator/mersenne';
import { oneOf } from '../../draws.ts';
import { fnv1a } from '../../hash.ts';
import { placeOf, remembered } from '../../numbered-tasks.ts';
import { type Goal, type HouseTask, type Kit, RUNGS, type Rung } from './kit.ts';

/** Of so many goals one is kept for evaluation. */
const HELD_OUT = 5;
/** Houses that are drawn for a task at most; a goal that needs more is at fault. */
const MOST_DRAWS = 1000;

const isHeldOut = ({ text }: Goal): boolean => fnv1a(text) % HELD_OUT === 0;

/**
 * The tasks of some rungs by number, each drawn once. Rungs take turns, and the kinds of goals of each.
 *
 * @param plays whether a house is a task: the expert solves it in few enough turns, and not in none
 * @returns a function that throws a RangeError for a number that no task has.
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
