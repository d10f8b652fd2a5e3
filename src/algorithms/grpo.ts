import { episodeReward, equalUpTo } from './returns.ts';
import type { EpisodeSignal, EstimatorSettings, TokenAdvantages } from './signal.ts';

/**
 * Group-relative advantages (GRPO, DeepSeekMath, arXiv:2402.03300, §4.1.2).
 *
 *     Aᵢ = (Rᵢ − mean(R)) / (std(R) + 1e-6)
 *
 * where R are the rewards of the episodes of one group, each discounted from its start by γ per
 * turn. The standard deviation is the sample's, with n − 1, as in verl's code. Every token of
 * episode i gets Aᵢ.
 *
 * A group with equal rewards carries no signal and gets exactly 0. The mean of equal floats can
 * differ from them by a rounding error, and dividing such an error by a std of its size would give
 * advantages in the hundreds. Equality is therefore tested on the rewards with a tolerance, never
 * on the computed std.
 */
export function grpo(
  episodes: readonly EpisodeSignal[],
  { gamma }: EstimatorSettings,
): TokenAdvantages[] {
  return groupAdvantages(episodes, gamma, (rewards) => {
    const centered = center(rewards);
    const variance = centered.reduce((sum, x) => sum + x ** 2, 0) / (rewards.length - 1);
    const std = Math.sqrt(variance);
    return centered.map((x) => x / (std + 1e-6));
  });
}

/**
 * Group-relative advantages without division by the std, which favors tasks that are nearly always
 * or nearly never solved (Dr. GRPO, arXiv:2503.20783, §3.2).
 *
 *     Aᵢ = Rᵢ − mean(R)
 */
export function drGrpo(
  episodes: readonly EpisodeSignal[],
  { gamma }: EstimatorSettings,
): TokenAdvantages[] {
  return groupAdvantages(episodes, gamma, center);
}

/**
 * Applies a rule to the rewards of each group. If all rewards of a group are equal, its advantages
 * are exactly 0. Groups may have different sizes.
 *
 * @param rule maps the rewards of a group's episodes to their advantages
 */
export function groupAdvantages(
  episodes: readonly EpisodeSignal[],
  gamma: number,
  rule: (rewards: readonly number[]) => readonly number[],
): TokenAdvantages[] {
  const groups = new Map<number, number[]>();
  for (const [i, { group }] of episodes.entries()) {
    groups.set(group, [...(groups.get(group) ?? []), i]);
  }
  const rewards = episodes.map((episode) => episodeReward(episode, gamma));
  const A = new Array<number>(episodes.length).fill(0);
  for (const members of groups.values()) {
    const R = members.map((i) => rewards[i] ?? Number.NaN);
    if (equalRewards(R)) continue;
    for (const [k, a] of rule(R).entries()) A[members[k] ?? 0] = a;
  }
  return episodes.map((episode, i) => ({ advantages: episode.rewards.map(() => A[i] ?? 0) }));
}

/** R − mean(R). */
export function center(rewards: readonly number[]): number[] {
  const mean = rewards.reduce((sum, r) => sum + r, 0) / rewards.length;
  return rewards.map((r) => r - mean);
}

/** Whether the rewards of a group are equal, up to a rounding error of the largest. */
export function equalRewards(rewards: readonly number[]): boolean {
  const largest = rewards.reduce((most, r) => Math.max(most, Math.abs(r)), 0);
  return equalUpTo(rewards, largest);
}
