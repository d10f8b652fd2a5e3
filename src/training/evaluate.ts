import { type Agent, greedy } from '../agents/agent.ts';
import { play } from '../agents/play.ts';
import type { Trajectory } from '../agents/trajectory.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../envs/types.ts';
import type { EnvironmentResult } from '../runs/details.ts';
import type { MetricRow } from '../runs/metrics.ts';
import { byEnvironment, evaluationTasks } from './environments.ts';
import { mean } from './sums.ts';

/** Greedy episodes on the evaluation tasks. */
export interface Evaluation {
  /** `eval/success_rate` and `eval/score`. */
  readonly metrics: MetricRow;
  readonly trajectories: readonly Trajectory[];
  /** Results of each environment of a mixture, in the mixture's order. */
  readonly environments?: readonly EnvironmentResult[];
}

/**
 * Plays evaluation tasks greedily, like every evaluation during training. Trains nothing and draws
 * from no random stream.
 *
 * @param most number of tasks, starting with the first; 0 plays all
 */
export async function evaluate(
  { evaluation }: Config,
  environment: Environment,
  agent: Agent,
  most: number,
  onProgress: (fraction: number) => void,
): Promise<Evaluation> {
  onProgress(0);
  const horizon = evaluation.horizon === 0 ? environment.turnLimit : evaluation.horizon;
  const trajectories = await play(
    greedy(agent),
    environment,
    evaluationTasks(environment, most).map((task) => ({ task, horizon })),
    onProgress,
  );
  return {
    metrics: {
      'eval/success_rate': mean(trajectories, (t) => Number(t.success)),
      'eval/score': mean(trajectories, (t) => t.score),
    },
    trajectories,
    ...byEnvironment(environment, trajectories),
  };
}
