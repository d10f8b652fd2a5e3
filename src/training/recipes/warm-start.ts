import type { MetricRow } from '../../runs/metrics.ts';
import type { Iteration, RecipeRun } from '../recipe.ts';
import type { Student } from '../student.ts';
import { imitationPhase } from './imitation/imitation-phase.ts';
import { learnPreferences } from './preference.ts';

/** Result of the phases before reinforcement learning. */
interface WarmStart {
  readonly metrics: MetricRow;
  /** Turns and tokens of the episodes played in these phases. */
  readonly turns: number;
  readonly tokens: number;
}

/** No phase ran. */
export const coldStart: WarmStart = { metrics: {}, turns: 0, tokens: 0 };

/**
 * The configured phases before reinforcement learning: imitation of an expert, then preference
 * learning on the agent's own episodes. The resulting policy is the reference.
 *
 * @param horizon maximum turns of an episode
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
    const preferred = await iteration.phase('prefer', (onProgress) =>
      learnPreferences(config, environment, agent, updater, streams.warmStart, horizon, onProgress),
    );
    ({ turns, tokens } = preferred);
    if (Number.isFinite(preferred.loss)) metrics['preference/loss'] = preferred.loss;
  }
  if (config.imitation.epochs > 0 && config.imitation.restart_optimizer) policy.restartOptimizer();
  if (config.algorithm.kl_coef > 0) policy.keepReference();
  return { metrics, turns, tokens };
}
