import type { EnvironmentResult } from '../../runs/details.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import type { Iteration, RecipeRun } from '../recipe.ts';
import type { Student } from '../student.ts';
import { imitate, imitatedTasks } from './imitation.ts';

/** What came before the first round. */
export interface ImitatedBase {
  readonly metrics: MetricRow;
  /** The base set; null where it is known already. */
  readonly tasks: readonly string[] | null;
  /** Greedy results in each environment of a mixture. */
  readonly environments?: readonly EnvironmentResult[];
}

/** Imitation was before. */
export const imitatedBefore: ImitatedBase = { metrics: {}, tasks: null };

/**
 * Draws the base set and imitates the expert on it. Without an epoch of imitation the agent that the
 * run began with explores.
 */
export async function imitateBase(
  { config, environment, streams }: RecipeRun,
  student: Student,
  { phase, evaluate }: Iteration,
): Promise<ImitatedBase> {
  const { agent, updater } = student;
  const { learn, start } = config.evolution;
  if (learn === 'likelihood' && start === 'base') student.keepStart();
  const tasks = imitatedTasks(config, environment, streams.warmStart);
  if (config.imitation.epochs === 0) return { metrics: {}, tasks };
  const loss = await phase('imitate', (told) =>
    imitate(config, environment, agent, updater, streams.warmStart, told, tasks),
  );
  const metrics: MetricRow = { 'imitation/loss': loss };
  if (config.evaluation.interval === 0) return { metrics, tasks };
  const { metrics: after, environments } = await evaluate();
  const success = after['eval/success_rate'];
  if (success !== undefined) metrics['imitation/success_rate'] = success;
  return { metrics, tasks, ...(environments === undefined ? {} : { environments }) };
}
