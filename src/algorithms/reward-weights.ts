/** How episodes weigh that are learned from by their reward (AgentEvol, arXiv:2406.04151). */

export const rewardWeightings = ['raw', 'normalised', 'threshold'] as const;
export type RewardWeighting = (typeof rewardWeightings)[number];

/** Thrown for a reward below 0: as p(O = 1 | e, u, τ) ∝ r(e, u, τ), it stands for a probability. */
export class NegativeRewardError extends Error {
  override readonly name = 'NegativeRewardError';
  /** @param task whose episode had the reward */
  constructor(task: string, reward: number) {
    super(
      `an episode of ${JSON.stringify(task)} had the reward ${reward}, and a negative reward cannot weigh an episode; set evolution.negative to shift, or evolution.weights to threshold`,
    );
  }
}

/**
 * Weights of K tries of one task in E[w·log π(τ)]. With rewards r_k ≥ 0 and a threshold c:
 *
 *     raw: w_k = r_k      normalised: w_k = r_k / Σⱼ r_j      threshold: w_k = 1[r_k > c]
 *
 * The best q(τ | e, u) ∝ r(e, u, τ)·π(τ | e, u) has the normalised ones. The paper leaves the
 * normaliser out, so that a task that is solved more often weighs more. With r ∈ {0, 1} and 0 ≤ c < 1,
 * raw and threshold are the same, and normalised differs by one divisor a task.
 *
 * @param rewards (K), none below 0 unless a threshold is asked for
 * @returns (K)
 * @throws {RangeError} for a negative reward where it would become a weight.
 */
export function rewardWeights(
  rewards: readonly number[],
  how: RewardWeighting,
  threshold: number,
): readonly number[] {
  if (how === 'threshold') return rewards.map((reward) => Number(reward > threshold));
  if (rewards.some((reward) => reward < 0)) {
    throw new RangeError(`a weight cannot be negative, got rewards ${rewards.join(', ')}`);
  }
  if (how === 'raw') return rewards;
  const sum = rewards.reduce((all, reward) => all + reward, 0);
  return rewards.map((reward) => (sum === 0 ? 0 : reward / sum));
}
