/** Weights of episodes by their reward (AgentEvol, arXiv:2406.04151). */

const rewardWeightings = ['raw', 'normalised', 'threshold'] as const;
type RewardWeighting = (typeof rewardWeightings)[number];

/**
 * Thrown for a negative reward: since p(O = 1 | e, u, τ) ∝ r(e, u, τ), it stands for a probability.
 */
export class NegativeRewardError extends Error {
  override readonly name = 'NegativeRewardError';
  /** @param task of the episode */
  constructor(task: string, reward: number) {
    super(
      `an episode of ${JSON.stringify(task)} had the reward ${reward}, and a negative reward cannot weigh an episode; set evolution.negative to shift, or evolution.weights to threshold`,
    );
  }
}

/**
 * Weights of K attempts at one task in E[w·log π(τ)]. With rewards r_k ≥ 0 and a threshold c:
 *
 *     raw: w_k = r_k      normalised: w_k = r_k / Σⱼ r_j      threshold: w_k = 1[r_k > c]
 *
 * The optimal q(τ | e, u) ∝ r(e, u, τ)·π(τ | e, u) has normalized weights. The paper omits the
 * normalizer, so tasks that are solved more often weigh more. With r ∈ {0, 1} and 0 ≤ c < 1, raw
 * and threshold are the same, and normalised differs by one divisor per task.
 *
 * @param rewards (K), non-negative unless `threshold` is used
 * @returns (K)
 * @throws {RangeError} for a negative reward that would become a weight.
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
