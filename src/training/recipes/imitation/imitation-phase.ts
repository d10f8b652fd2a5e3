import type { EnvironmentResult } from '../../../runs/details.ts';
import type { MetricRow } from '../../../runs/metrics.ts';
import type { Iteration, RecipeRun } from '../../recipe.ts';
import type { Student } from '../../student.ts';
import { imitate } from './imitation.ts';

/** Result of imitation, with the agent's success rate after it. */
export interface Imitated {
  readonly metrics: MetricRow;
  /** Greedy results in each environment of a mixture. */
  readonly environments?: readonly EnvironmentResult[];
}

/** Imitation as a phase of a recipe, followed by an evaluation if evaluations are enabled. */
export async function imitationPhase(
  { config, environment, streams }: RecipeRun,
  { agent, updater }: Student,
  { phase, evaluate }: Iteration,
  tasks?: readonly string[],
): Promise<Imitated> {
  const loss = await phase('imitate', (onProgress) =>
    imitate(config, environment, agent, updater, streams.warmStart, onProgress, tasks),
  );
  const metrics: MetricRow = { 'imitation/loss': loss };
  if (config.evaluation.interval === 0) return { metrics };
  const { metrics: after, environments } = await evaluate();
  const success = after['eval/success_rate'];
  if (success !== undefined) metrics['imitation/success_rate'] = success;
  return { metrics, ...(environments === undefined ? {} : { environments }) };
}
