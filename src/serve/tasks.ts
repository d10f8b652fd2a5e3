/** The numbers of tasks in requests. */

import type { Environment } from '../envs/types.ts';

/** From here on, task ids belong to evaluation (`numbered-tasks.ts`). */
const FIRST_EVALUATION = 100_000;

export interface NumberedTask {
  readonly environment: Environment;
  readonly task: string;
}

/** The tasks of one path. */
export interface NumberedTasks {
  /** Numbers of the training tasks in ascending order. */
  readonly train: readonly number[];
  /** Numbers of the evaluation tasks; these are training tasks if the environment evaluates on them. */
  readonly evaluation: readonly number[];
  /** Undefined for a number without a task. */
  find(number: number): NumberedTask | undefined;
}

/** The original's numbering of tasks. */
export interface Numbering {
  /** Whether a number without a task wraps around to another task; otherwise it is an error. */
  readonly wraps: boolean;
  /** The original's order of training tasks, if it differs. */
  readonly order?: (environment: Environment) => readonly string[];
}

/**
 * A task's number is the one in its id: `todo_7` is 7. If several environments take turns, task n of the k-th
 * of m is n·m + k, and evaluation continues from 100,000 in the same way.
 */
export function numberTasks(
  environments: readonly Environment[],
  { order, wraps }: Numbering,
): NumberedTasks {
  const found = new Map<number, NumberedTask>();
  const train: number[] = [];
  const evaluation: number[] = [];
  const [count, dealt] = [environments.length, environments.entries()];
  for (const [k, environment] of dealt) {
    const numbers = new Map<string, number>();
    const ordered = order?.(environment);
    for (const [place, task] of (ordered ?? environment.trainTasks).entries()) {
      const number = (ordered === undefined ? numberIn(task) : place) * count + k;
      numbers.set(task, number);
      found.set(number, { environment, task });
      train.push(number);
    }
    for (const task of environment.evalTasks) {
      const number =
        numbers.get(task) ?? FIRST_EVALUATION + (numberIn(task) - FIRST_EVALUATION) * count + k;
      found.set(number, { environment, task });
      evaluation.push(number);
    }
  }
  for (const numbers of [train, evaluation]) numbers.sort((a, b) => a - b);
  const other = (number: number) => found.get(train[number % train.length] ?? -1);
  return {
    train,
    evaluation,
    find: (number) => found.get(number) ?? (wraps ? other(number) : undefined),
  };
}

const numberIn = (task: string) => Number(task.slice(task.lastIndexOf('_') + 1));
