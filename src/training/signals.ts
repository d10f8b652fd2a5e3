import { contextStart, contextTokens } from '../agents/dialogue.ts';
import type { Trajectory } from '../agents/trajectory.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { Config } from '../runs/config.ts';
import type { WrittenEpisode } from './batch.ts';
import { dialogueWindow } from './players.ts';

/** Total reward of an episode seen from its start: Σ γᵗ·rₜ over its turns t = 0, 1, … */
export function discountedReward({ turns }: Trajectory, gamma: number): number {
  return turns.reduce((sum, { reward }, t) => sum + gamma ** t * reward, 0);
}

/** (T) the reward that arrived after each token: a turn's reward lies on its last token. */
export function tokenRewards({ turns }: Trajectory): number[] {
  return turns.flatMap(({ actionTokens, reward }) =>
    actionTokens.map((_, k) => (k === actionTokens.length - 1 ? reward : 0)),
  );
}

/**
 * What the policy would read next in an episode that its horizon cut, as an episode of a single
 * token, so that the value there can be scored. The token itself does not matter.
 */
export function afterTheCut(
  trajectory: Trajectory,
  tokenizer: Tokenizer,
  config: Config,
): WrittenEpisode {
  const turns = [
    ...trajectory.turns,
    { observationTokens: tokenizer.encode(trajectory.finalObservation) },
  ];
  const window = dialogueWindow(config);
  const start = contextStart(turns, window);
  const tokens = contextTokens(turns, start, tokenizer, window.keepTask);
  return {
    sequences: [{ tokens, rows: [tokens.length - 1], first: 0 }],
    targets: [tokenizer.end],
    behaviourLogps: [0],
    versions: [0],
    turns: [trajectory.turns.length],
  };
}
