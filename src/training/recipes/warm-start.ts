import type { MetricRow } from '../../runs/metrics.ts';
import type { Iteration, RecipeRun } from '../recipe.ts';
import type { Student } from '../student.ts';
import { imitationPhase } from './imitation-phase.ts';
import { learnPreferences } from './preference.ts';

/** What came before reinforcement learning. */
export interface WarmStart {
  readonly metrics: MetricRow;
  /** Turns and tokens that were played for it. */
  readonly turns: number;
  readonly tokens: number;
}

/** Nothing came before. */
export const coldStart: WarmStart = { metrics: {}, turns: 0, tokens: 0 };

/**
 * What comes before reinforcement learning, as far as the config has it: learning from an expert, then
 * from pairs of the agent's own episodes. The policy that it leaves is the reference.
 *
 * @param horizon most turns of an episode
 */
export async function warmStart(
  run: RecipeRun,
  student: Student,
  horizon: number,
  iteration: Iteration,
): Promise<WarmStart> {
  const { config, environment, streams } = run;
  const { agent, updater } = student;
  const { policy } = agent;
  const metrics: MetricRow = {};
  let [turns, tokens] = [0, 0];
  if (config.imitation.epochs > 0) {
    const imitated = await imitationPhase(run, student, iteration);
    Object.assign(metrics, imitated.metrics);
  }
  if (config.preference.epochs > 0) {
    const preferred = await iteration.phase('prefer', (told) =>
      learnPreferences(config, environment, agent, updater, streams.warmStart, horizon, told),
    );
    ({ turns, tokens } = preferred);
    if (Number.isFinite(preferred.loss)) metrics['preference/loss'] = preferred.loss;
  }
  if (config.imitation.epochs > 0 && config.imitation.restart_optimizer) policy.restartOptimizer();
  if (config.algorithm.kl_coef > 0) policy.keepReference();
  return { metrics, turns, tokens };
}
