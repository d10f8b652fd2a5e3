import type { Trajectory } from '../agents/trajectory.ts';
import type { Mixture } from '../envs/mixture.ts';
import { splitTask } from '../envs/mixture.ts';
import type { Environment } from '../envs/types.ts';
import type { EnvironmentResult } from '../runs/details.ts';
import type { TaskPile } from './play/deck.ts';
import type { RandomStream } from './random.ts';
import { mean, total } from './sums.ts';

function isMixture(environment: Environment): environment is Environment & Mixture {
  return 'parts' in environment;
}

/** Ids of the environments a run plays in: the parts of a mixture, or the only one. */
export function environmentIds(environment: Environment): readonly string[] {
  return isMixture(environment)
    ? environment.parts.map((part) => part.environment.id)
    : [environment.id];
}

/** The id of the environment that a task belongs to. */
export function environmentOf(environment: Environment, task: string): string {
  return splitTask(task).environmentId ?? environment.id;
}

/** Training tasks by environment, with their shares of the tasks played or imitated. */
export function taskPiles(environment: Environment, of: 'rollout' | 'imitation'): TaskPile[] {
  const tasks = of === 'imitation' ? shownTasks(environment) : environment.trainTasks;
  if (!isMixture(environment)) return [{ tasks, share: 1 }];
  const { parts } = environment;
  return parts.map(({ environment: { id }, share, imitationWeight = 1 }) => ({
    tasks: tasks.filter((task) => splitTask(task).environmentId === id),
    share: of === 'imitation' ? share * imitationWeight : share,
  }));
}

/** Training tasks that the expert may demonstrate. */
function shownTasks({ shownTasks, trainTasks }: Environment): readonly string[] {
  return shownTasks ?? trainTasks;
}

/**
 * Training tasks to imitate, in random order: a share of all, at most `most`. In a mixture, each
 * environment gets its share of that number; tasks repeat if an environment has too few.
 */
export function drawnTasks(
  environment: Environment,
  stream: RandomStream,
  taskShare: number,
  most: number,
): string[] {
  const count = Math.min(most, Math.ceil(taskShare * shownTasks(environment).length));
  const piles = taskPiles(environment, 'imitation');
  const sum = total(piles, ({ share }) => share);
  return piles.flatMap(({ tasks, share }) => {
    const shuffled = stream.shuffled(tasks);
    const own = piles.length === 1 ? count : Math.round((count * share) / sum);
    return Array.from({ length: own }, (_, i) => shuffled[i % shuffled.length] ?? '');
  });
}

/** Metrics of each environment of a mixture; empty without a mixture. */
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
 * The first `most` evaluation tasks, or all of them for 0. In a mixture, an equal number from each
 * environment.
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
