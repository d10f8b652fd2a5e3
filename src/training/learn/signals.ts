import type { Agent } from '../../agents/agent.ts';
import { contextStart, contextTokens } from '../../agents/dialogue.ts';
import type { Trajectory } from '../../agents/trajectory.ts';
import type { WrittenEpisode } from './batch.ts';

/** Total reward of an episode seen from its start: Σ γᵗ·rₜ over its turns t = 0, 1, … */
export function discountedReward({ turns }: Trajectory, gamma: number): number {
  return turns.reduce((sum, { reward }, t) => sum + gamma ** t * reward, 0);
}

/**
 * (T) the reward that arrived after each token: a turn's reward lies on its last token.
 *
 * @param atEnd what the last token that the agent wrote gets besides
 */
export function tokenRewards({ turns }: Trajectory, atEnd = 0): number[] {
  const rewards = turns.flatMap(({ actionTokens, reward }) =>
    actionTokens.map((_, k) => (k === actionTokens.length - 1 ? reward : 0)),
  );
  return rewards.map((reward, t) => (t === rewards.length - 1 ? reward + atEnd : reward));
}

/**
 * Soft overlong punishment (DAPO, arXiv:2503.14476, Eq. 13) with turns for tokens: with the buffer
 * c = share·horizon it is
 *
 *     0                          turns ≤ horizon − c
 *     ((horizon − c) − turns)/c  beyond, −1 at the horizon
 *
 * @param share of the horizon; 0 is off
 */
export function overlongPenalty(turns: number, horizon: number, share: number): number {
  const buffer = share * horizon;
  const beyond = turns - (horizon - buffer);
  return buffer === 0 || beyond <= 0 ? 0 : -beyond / buffer;
}

/**
 * What the policy would read next in an episode that its horizon cut, as an episode of a single
 * token, so that the value there can be scored. The token itself does not matter.
 */
export function afterTheCut(
  trajectory: Trajectory,
  { tokenizer, window }: Pick<Agent, 'tokenizer' | 'window'>,
): WrittenEpisode {
  const turns = [
    ...trajectory.turns,
    { observationTokens: tokenizer.encode(trajectory.finalObservation) },
  ];
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
