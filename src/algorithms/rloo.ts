import { center, groupAdvantages } from './grpo.ts';
import type { EpisodeSignal, EstimatorSettings, TokenAdvantages } from './signal.ts';

/**
 * Leave-one-out advantages (RLOO, arXiv:2402.14740, §2.3): each episode's baseline is the mean of
 * the other episodes in its group, which excludes its own reward.
 *
 *     Aᵢ = Rᵢ − 1/(n−1)·Σ_{j≠i} Rⱼ = (Rᵢ − mean(R))·n/(n−1)
 *
 * R is discounted from the episode's start by γ per turn. Every token of episode i gets Aᵢ.
 *
 * @throws {RangeError} if a group has a single episode.
 */
export function rloo(
  episodes: readonly EpisodeSignal[],
  { gamma }: EstimatorSettings,
): TokenAdvantages[] {
  const sizes = new Map<number, number>();
  for (const { group } of episodes) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  for (const [group, n] of sizes) {
    if (n < 2) {
      throw new RangeError(
        `rloo compares the episodes of a group and needs at least 2, but group ${group} has ${n}`,
      );
    }
  }
  return groupAdvantages(episodes, gamma, (rewards) => {
    const n = rewards.length;
    return center(rewards).map((x) => (x * n) / (n - 1));
  });
}
