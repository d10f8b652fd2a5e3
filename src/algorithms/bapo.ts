import type { BapoReading, BapoSettings } from './objective.ts';

/** Input of the search over U tokens. */
export interface BapoRows {
  /** (U) r = π/π_old. */
  readonly ratios: ArrayLike<number>;
  /** (U) */
  readonly advantages: ArrayLike<number>;
  /** (U) log-probability in nats under the policy that generated the token. */
  readonly behaviorLogps: ArrayLike<number>;
}

/** Result of the search. */
export interface BapoBounds {
  readonly clipLow: number;
  readonly clipHigh: number;
  /**
   * Contribution of positive tokens at these bounds, in the unit of the contribution measure;
   * Infinity for `pn_ratio` without negative tokens, NaN if no token contributes.
   */
  readonly rho: number;
  readonly lowSteps: number;
  readonly highSteps: number;
}

/**
 * Bounds that balance positive and negative tokens (BAPO, arXiv:2510.18927, Algorithm 1):
 *
 *     c_low = a⁻,  c_high = a⁺
 *     while ρ(c_low, c_high) < ρ₀ and a bound can move:
 *         if c_high + δ₁ ≤ b⁺:  c_high += δ₁
 *         else:                 c_low  += δ₂
 *
 * This is the paper's order, `high_first`; the authors' code exhausts c_low first. Bounds are
 * computed as start + steps·δ, so that rounding does not keep them from the ends of their ranges.
 * If c_low's range is empty, the paper's loop would stop at once; here c_high still moves.
 *
 * If no token contributes, there is nothing to balance and the bounds keep their initial values.
 */
export function bapoSearch(rows: BapoRows, settings: BapoSettings): BapoBounds {
  const { lowMin, lowMax, lowStep, highMin, highMax, highStep } = settings;
  const mostLow = stepsWithin(lowMin, lowMax, lowStep);
  const mostHigh = stepsWithin(highMin, highMax, highStep);
  let lowSteps = 0;
  let highSteps = 0;
  for (;;) {
    const clipLow = lowMin + lowSteps * lowStep;
    const clipHigh = highMin + highSteps * highStep;
    const rho = contribution(rows, clipLow, clipHigh, settings.reading);
    const lowMoves = lowSteps < mostLow;
    const highMoves = highSteps < mostHigh;
    // Comparisons with NaN are false, so the search also stops there.
    if (!(rho < settings.target) || (!lowMoves && !highMoves)) {
      return { clipLow, clipHigh, rho, lowSteps, highSteps };
    }
    if (highMoves && (settings.order === 'high_first' || !lowMoves)) highSteps++;
    else lowSteps++;
  }
}

/** Number of steps in a range; the small offset lets (0.9 − 0.6)/0.02 count as 15, not 14.999…. */
function stepsWithin(least: number, most: number, step: number): number {
  return Math.max(0, Math.floor((most - least) / step + 1e-6));
}

/**
 * Contribution of positive tokens at these bounds, with f = min(r·A, clip(r)·A):
 *
 *     value_share            Σ_{A>0} |π_b·f| / Σ |π_b·f|
 *     pn_ratio               Σ_{A>0} |f| / Σ_{A<0} |f|
 *     active_gradient_share  as value_share, without tokens whose gradient is clipped
 *
 * For A < 0, |f| = max(r, c_low)·|A| grows with c_low. For the first two measures, raising c_low
 * therefore lowers ρ, and a search that starts to raise c_low continues to the end of its range.
 */
export function contribution(
  { ratios, advantages, behaviorLogps }: BapoRows,
  clipLow: number,
  clipHigh: number,
  reading: BapoReading,
): number {
  let positive = 0;
  let negative = 0;
  for (let i = 0; i < advantages.length; i++) {
    const r = ratios[i] ?? Number.NaN;
    const A = advantages[i] ?? Number.NaN;
    if (reading === 'active_gradient_share') {
      const clipped = (A < 0 && r < clipLow) || (A > 0 && r > clipHigh);
      if (clipped) continue;
    }
    const surrogate = Math.abs(Math.min(r * A, Math.min(Math.max(r, clipLow), clipHigh) * A));
    const weight = reading === 'pn_ratio' ? 1 : Math.exp(behaviorLogps[i] ?? Number.NaN);
    if (A > 0) positive += weight * surrogate;
    if (A < 0) negative += weight * surrogate;
  }
  return reading === 'pn_ratio' ? positive / negative : positive / (positive + negative);
}
