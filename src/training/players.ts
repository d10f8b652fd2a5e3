import type { DialogueWindow } from '../agents/dialogue.ts';
import { rollout } from '../agents/rollout.ts';
import type { Trajectory } from '../agents/trajectory.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../envs/types.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { TokenPolicy } from '../policy/types.ts';

/** Everything that plays episodes. */
export interface Players {
  readonly config: Config;
  readonly environment: Environment;
  readonly policy: TokenPolicy;
  readonly tokenizer: Tokenizer;
  /** Keys the sampling. */
  readonly seed: number;
}

/** The part of the dialogue that the policy reads. */
export function dialogueWindow({ agent }: Config): DialogueWindow {
  return {
    historyWindow: agent.history_window,
    contextLength: agent.context_length,
    maxActionTokens: agent.max_action_tokens,
    keepTask: agent.keep_task,
  };
}

/** An episode to play to its end. */
interface WholeEpisode {
  readonly task: string;
  readonly horizon: number;
}

/** Plays episodes to their ends with greedy actions; no draw is made. */
export function playGreedily(
  players: Players,
  episodes: readonly WholeEpisode[],
  onProgress: (fraction: number) => void = () => {},
): Promise<Trajectory[]> {
  return playWhole(players, episodes, 0, onProgress);
}

/**
 * Plays episodes to their ends outside training.
 *
 * @param temperature 0 takes the most probable token
 */
export async function playWhole(
  { config, environment, policy, tokenizer, seed }: Players,
  episodes: readonly WholeEpisode[],
  temperature: number,
  onProgress: (fraction: number) => void,
): Promise<Trajectory[]> {
  const { trajectories } = await rollout({
    environment,
    policy,
    tokenizer,
    episodes: episodes.map(({ task, horizon }, i) => ({
      // A key that no training iteration has.
      iteration: 0,
      episode: i,
      task,
      group: i,
      horizon,
    })),
    window: dialogueWindow(config),
    format: config.agent.format,
    temperature,
    seed,
    onProgress,
  });
  return trajectories;
}
