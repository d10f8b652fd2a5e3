import type { Trajectory } from '../agents/trajectory.ts';
import type { Mixture } from '../envs/mixture.ts';
import { splitTask } from '../envs/mixture.ts';
import type { Environment } from '../envs/types.ts';
import type { EnvironmentResult } from '../runs/details.ts';
import type { TaskPile } from './random.ts';
import { mean } from './sums.ts';

function isMixture(environment: Environment): environment is Environment & Mixture {
  return 'parts' in environment;
}

/** Training tasks by the environment they are of, with their shares. */
export function taskPiles(environment: Environment): TaskPile[] {
  if (!isMixture(environment)) return [{ tasks: environment.trainTasks, share: 1 }];
  const { parts, trainTasks } = environment;
  return parts.map(({ environment: { id }, share }) => ({
    tasks: trainTasks.filter((task) => splitTask(task).environmentId === id),
    share,
  }));
}

/** What the episodes of each environment of a mixture came to; nothing outside a mixture. */
export function byEnvironment(
  environment: Environment,
  trajectories: readonly Trajectory[],
): { environments?: EnvironmentResult[] } {
  if (!isMixture(environment)) return {};
  const results = environment.parts.flatMap(({ environment: { id } }) => {
    const own = trajectories.filter(({ task }) => splitTask(task).environmentId === id);
    if (own.length === 0) return [];
    return {
      id,
      episodes: own.length,
      successRate: mean(own, ({ success }) => Number(success)),
      score: mean(own, ({ score }) => score),
      turns: mean(own, ({ turns }) => turns.length),
    };
  });
  return { environments: results };
}

/**
 * The tasks that an evaluation of `most` tasks plays: from each environment of a mixture the same
 * number, from the first on; 0 plays all.
 */
export function evaluationTasks(environment: Environment, most: number): readonly string[] {
  const { evalTasks } = environment;
  if (most === 0) return evalTasks;
  if (!isMixture(environment)) return evalTasks.slice(0, most);
  const each = Math.max(1, Math.floor(most / environment.parts.length));
  return environment.parts.flatMap(({ environment: { id } }) =>
    evalTasks.filter((task) => splitTask(task).environmentId === id).slice(0, each),
  );
}
