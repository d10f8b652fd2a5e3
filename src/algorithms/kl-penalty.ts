/**
 * Estimators of the KL divergence from the reference policy (Schulman, "Approximating KL
 * divergence").
 */
export const klEstimators = ['k1', 'k2', 'k3'] as const;

export type KlEstimator = (typeof klEstimators)[number];

/**
 * One token's estimate of KL(π‖π_ref) in nats, with d = log π_ref − log π (Schulman, "Approximating
 * KL divergence"):
 *
 *     k1 = −d        k2 = d²/2        k3 = eᵈ − 1 − d
 *
 * On tokens sampled from π, k1 and k3 are unbiased; k2 and k3 are never negative. As a loss term,
 * an estimate on such tokens has the expected gradient
 *
 *     k1: 0        k2: ∇KL(π‖π_ref), reverse        k3: ∇KL(π_ref‖π), forward
 *
 * so the estimator determines the direction of the penalty. As part of the reward, every estimator
 * penalizes KL(π‖π_ref).
 */
export function klEstimate(logp: number, referenceLogp: number, estimator: KlEstimator): number {
  const d = referenceLogp - logp;
  switch (estimator) {
    case 'k1':
      return -d;
    case 'k2':
      return d ** 2 / 2;
    case 'k3':
      return Math.expm1(d) - d;
    default:
      return estimator satisfies never;
  }
}

/**
 * Rewards minus each token's KL penalty (InstructGPT, arXiv:2203.02155, Eq. 2):
 *
 *     rₜ ← rₜ − coef·KLₜ
 *
 * @param rewards (T) reward that arrived after each token
 * @param logps (T) log-probability in nats under the policy that generated it
 * @param referenceLogps (T) the same under the reference policy
 * @throws {RangeError} if the lengths differ.
 */
export function penalizedRewards(
  rewards: readonly number[],
  logps: readonly number[],
  referenceLogps: readonly number[],
  coef: number,
  estimator: KlEstimator,
): number[] {
  if (logps.length !== rewards.length || referenceLogps.length !== rewards.length) {
    throw new RangeError(
      `${rewards.length} rewards need as many log-probabilities, got ${logps.length} and ${referenceLogps.length}`,
    );
  }
  return rewards.map((reward, t) => {
    const [logp, reference] = [logps[t] ?? Number.NaN, referenceLogps[t] ?? Number.NaN];
    return reward - coef * klEstimate(logp, reference, estimator);
  });
}
