/**
 * The change of entropy that the entropy-clip rule predicts for one update, per unit of step size
 * (BAPO, arXiv:2510.18927, Eq. 6–7):
 *
 *     ΔH/η ≈ −Cov_{y~π}[ log π(y), A·X(y) ]
 *
 * The paper's X is what clipping leaves of a token in PPO's surrogate: 1 within the bounds, 0 beyond.
 * For any surrogate, A·X is the advantage that its gradient works with under y ~ π. The tokens in hand
 * are the behaviour policy's, so that with gᵢ = −∂loss/∂log π(yᵢ) of the update's loss and
 * rᵢ = π/π_behaviour it is A·X = N·gᵢ/rᵢ, and each token counts rᵢ times:
 *
 *     ΔH/η ≈ −Σᵢ gᵢ·(log π(yᵢ) − m)        m = Σᵢ rᵢ·log π(yᵢ) / Σᵢ rᵢ
 *
 * | surrogate | X |
 * |---|---|
 * | `ppo_clip`, `bapo` | 1, or 0 where a bound or the dual clip holds the token |
 * | `gspo` | s/r within the bounds of its episode, else 0 |
 * | `cispo` | clip(r)/r, never 0 |
 * | `clip_cov` | as PPO's, and 0 where the token is picked |
 * | `kl_cov` | 1, less coef·sign(log r)/(r·A) where the token is picked |
 *
 * A truncated importance weight multiplies X by what the truncation left of it, and a loss that weighs
 * tokens unequally by N times their weight. The rule is first order in η and holds for a tabular
 * softmax policy under the natural policy gradient, Δz_y = η·A_y·X_y. The constant C that the paper
 * adds to A·X changes no covariance.
 *
 * @returns nats per unit of step size
 */
export function entropyRule(tokens: {
  /** (N) log π, nats. */
  readonly logps: readonly number[];
  /** (N) π/π_behaviour. */
  readonly ratios: readonly number[];
  /** (N) ∂loss/∂log π of the surrogate, the weights of the tokens included. */
  readonly pulls: readonly number[];
}): number {
  const { logps, ratios, pulls } = tokens;
  const sum = (of: (logp: number, i: number) => number) =>
    logps.reduce((total, logp, i) => total + of(logp, i), 0);
  const ratio = (i: number) => ratios[i] ?? Number.NaN;
  const meanLogp = sum((logp, i) => ratio(i) * logp) / sum((_, i) => ratio(i));
  return sum((logp, i) => (pulls[i] ?? Number.NaN) * (logp - meanLogp));
}
