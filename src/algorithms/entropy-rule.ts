/**
 * The entropy change that the entropy-clip rule predicts for one update, per unit of step size
 * (BAPO, arXiv:2510.18927, Eq. 6–7):
 *
 *     ΔH/η ≈ −Cov_{y~π}[ log π(y), A·X(y) ]
 *
 * The paper's X is 0 for a token that PPO's surrogate clips and 1 for any other. For any surrogate,
 * A·X is the effective advantage in its gradient under y ~ π. The tokens were sampled from the
 * behavior policy. With gᵢ = −∂loss/∂log π(yᵢ) of the update's loss and rᵢ = π/π_behavior,
 * A·X = N·gᵢ/rᵢ, and each token has weight rᵢ:
 *
 *     ΔH/η ≈ −Σᵢ gᵢ·(log π(yᵢ) − m)        m = Σᵢ rᵢ·log π(yᵢ) / Σᵢ rᵢ
 *
 * | surrogate | X |
 * |---|---|
 * | `ppo_clip`, `bapo` | 0 if a bound or the dual clip is active, else 1 |
 * | `gspo` | s/r within the bounds of its episode, else 0 |
 * | `cispo` | clip(r)/r, never 0 |
 * | `clip_cov` | as PPO's, but 0 for selected tokens |
 * | `kl_cov` | 1, minus coef·sign(log r)/(r·A) for selected tokens |
 *
 * A truncated importance weight multiplies X by the share that remains after truncation, and a loss
 * with unequal token weights multiplies it by N times the weight. The rule is first order in η and
 * holds for a tabular softmax policy under the natural policy gradient, Δz_y = η·A_y·X_y. The
 * constant C that the paper adds to A·X changes no covariance.
 *
 * @returns nats per unit of step size
 */
export function entropyRule(tokens: {
  /** (N) log π, nats. */
  readonly logps: readonly number[];
  /** (N) π/π_behavior. */
  readonly ratios: readonly number[];
  /** (N) ∂loss/∂log π of the surrogate, including the token weights. */
  readonly pulls: readonly number[];
}): number {
  const { logps, ratios, pulls } = tokens;
  const sum = (of: (logp: number, i: number) => number) =>
    logps.reduce((total, logp, i) => total + of(logp, i), 0);
  const ratio = (i: number) => ratios[i] ?? Number.NaN;
  const meanLogp = sum((logp, i) => ratio(i) * logp) / sum((_, i) => ratio(i));
  return sum((logp, i) => (pulls[i] ?? Number.NaN) * (logp - meanLogp));
}
