import type { Agent } from '../../agents/agent.ts';
import {
  contextStart,
  contextTokens,
  type DialogueWindow,
  reading,
  readsOneTurn,
} from '../../agents/dialogue.ts';
import type { Trajectory } from '../../agents/trajectory.ts';
import type { Tokenizer } from '../../policy/tokenizer.ts';
import { readAlone, type WrittenEpisode } from './batch.ts';

/** Return of an episode from its start: Σ γᵗ·rₜ over its turns t = 0, 1, … */
export function discountedReward({ turns }: Trajectory, gamma: number): number {
  let sum = 0;
  // Most turns have no reward, and computing a power is slow.
  for (let t = 0; t < turns.length; t++) {
    const reward = turns[t]?.reward ?? 0;
    if (reward !== 0) sum += gamma ** t * reward;
  }
  return sum;
}

/**
 * (T) the reward after each token: a turn's reward is assigned to its last token.
 *
 * @param atEnd added to the reward of the agent's last token
 */
export function tokenRewards({ turns }: Trajectory, atEnd = 0): number[] {
  const rewards: number[] = [];
  for (const { actionTokens, reward } of turns) {
    for (let k = 1; k < actionTokens.length; k++) rewards.push(0);
    if (actionTokens.length > 0) rewards.push(reward);
  }
  const last = rewards.length - 1;
  if (last >= 0) rewards[last] = (rewards[last] ?? 0) + atEnd;
  return rewards;
}

/**
 * Soft overlong punishment (DAPO, arXiv:2503.14476, Eq. 13) with turns instead of tokens: with the
 * buffer c = share·horizon it is
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
 * The next observation of an episode truncated by its horizon, as an episode of a single token, so
 * that its value can be scored. The token itself is arbitrary.
 */
export function afterTheCut(
  trajectory: Trajectory,
  { tokenizer, window }: Pick<Agent, 'tokenizer' | 'window'>,
): WrittenEpisode {
  const observationTokens = reading(tokenizer)(trajectory.finalObservation).tokens;
  return {
    sequences: [{ ...contextAfter(trajectory, observationTokens, tokenizer, window), first: 0 }],
    targets: [tokenizer.end],
    behaviorLogps: [0],
    versions: [0],
    turns: [trajectory.turns.length],
  };
}

/** What the agent reads after an episode, and the row of its next token. */
function contextAfter(
  { turns }: Trajectory,
  observationTokens: readonly number[],
  tokenizer: Tokenizer,
  window: DialogueWindow,
) {
  if (readsOneTurn(window)) {
    const alone = readAlone(observationTokens, tokenizer);
    if (alone.tokens.length + window.maxActionTokens <= window.contextLength) return alone;
  }
  const all = [...turns, { observationTokens }];
  const start = contextStart(all, window, tokenizer);
  const tokens = contextTokens(all, start, tokenizer, window.keepTask);
  return { tokens, rows: [tokens.length - 1] };
}
