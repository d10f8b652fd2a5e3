/**
 * The change of entropy that the entropy-clip rule predicts for one update, per unit of step size
 * (BAPO, arXiv:2510.18927, Eq. 6–7):
 *
 *     ΔH/η ≈ −Cov_{y~π}[ log π(y), A·X(y) ]
 *     X(y) = 1 where A > 0 and r < c_high, or A < 0 and r > c_low; else 0
 *
 * The tokens in hand stand for y ~ π, so no ratio weighs them. The rule is first order in η and holds
 * for a tabular softmax policy under the natural policy gradient, Δz_y = η·A_y·X_y. The constant C
 * that the paper adds to A·X changes no covariance.
 *
 * @returns nats per unit of step size; NaN without tokens
 */
export function entropyRule(tokens: {
  /** (N) log π, nats. */
  readonly logps: readonly number[];
  /** (N) */
  readonly advantages: readonly number[];
  /** (N) r = π/π_old. */
  readonly ratios: readonly number[];
  /** Bounds in force. */
  readonly clipLow: number;
  readonly clipHigh: number;
}): number {
  const { logps, advantages, ratios, clipLow, clipHigh } = tokens;
  const passed = advantages.map((A, i) => {
    const r = ratios[i] ?? Number.NaN;
    const X = (A > 0 && r < clipHigh) || (A < 0 && r > clipLow);
    return X ? A : 0;
  });
  const meanLogp = mean(logps);
  const meanPassed = mean(passed);
  return -mean(logps.map((logp, i) => (logp - meanLogp) * ((passed[i] ?? 0) - meanPassed)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, x) => sum + x, 0) / values.length;
}
