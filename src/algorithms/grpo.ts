/**
 * Group-relative advantages (GRPO, DeepSeekMath, arXiv:2402.03300, §4.1.2).
 *
 *     Aᵢ = (Rᵢ − mean(R)) / (std(R) + 1e-6)
 *
 * where R are the rewards of the episodes of one task. The standard deviation is the sample's, with
 * n − 1, as in the authors' and verl's code. Every token of episode i gets Aᵢ.
 *
 * A group whose rewards are all equal carries no signal and gets exactly zero. A mean of equal
 * floats can miss them by a rounding residue, and residue over residue gives advantages in the
 * hundreds, so equality is tested on the rewards up to a residue's size, never on the computed std.
 *
 * @param rewards (G) total reward of each episode of the group
 * @returns (G) advantages
 */
export function grpo(rewards: readonly number[]): number[] {
  if (equalRewards(rewards)) return rewards.map(() => 0);
  const n = rewards.length;
  const mean = rewards.reduce((sum, r) => sum + r, 0) / n;
  const variance = rewards.reduce((sum, r) => sum + (r - mean) ** 2, 0) / (n - 1);
  const std = Math.sqrt(variance);
  return rewards.map((r) => (r - mean) / (std + 1e-6));
}

/**
 * Whether the rewards of a group differ by no more than what summing floats in another order can
 * make of equal ones: 2⁻⁴⁰ of the largest.
 */
export function equalRewards(rewards: readonly number[]): boolean {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const r of rewards) {
    low = Math.min(low, r);
    high = Math.max(high, r);
  }
  return high - low <= Math.max(Math.abs(low), Math.abs(high)) * 2 ** -40 || rewards.length < 2;
}
