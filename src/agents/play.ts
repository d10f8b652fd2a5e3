import type { Environment } from '../envs/types.ts';
import type { Agent } from './agent.ts';
import { rollout } from './rollout.ts';
import type { Trajectory } from './trajectory.ts';

/** An episode to play to its end. */
export interface WholeEpisode {
  readonly task: string;
  /** Maximum number of turns. */
  readonly horizon: number;
}

/**
 * Plays episodes to their ends outside training iterations.
 * @throws {EnvironmentFault} if the environment throws
 */
export async function play(
  agent: Agent,
  environment: Environment,
  episodes: readonly WholeEpisode[],
  onProgress: (fraction: number) => void = () => {},
): Promise<Trajectory[]> {
  const { trajectories } = await rollout({
    agent,
    environment,
    episodes: episodes.map(({ task, horizon }, i) => ({
      // A key that no training iteration uses.
      iteration: 0,
      episode: i,
      task,
      group: i,
      horizon,
    })),
    onProgress,
  });
  return trajectories;
}
