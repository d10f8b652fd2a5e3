import type { EpisodeSignal } from './signal.ts';

/**
 * Reward of a whole episode, discounted from its start: Σ_t γ^turn(t)·rₜ.
 */
export function episodeReward({ rewards, turns }: EpisodeSignal, gamma: number): number {
  return rewards.reduce((sum, reward, t) => sum + gamma ** (turns[t] ?? Number.NaN) * reward, 0);
}

/**
 * Discount between token t and the next, γ^(turn(t+1) − turn(t)): 1 within a turn. What follows the
 * last token would be written in the next turn.
 */
export function discountAfter({ turns }: EpisodeSignal, t: number, gamma: number): number {
  const turn = turns[t] ?? Number.NaN;
  return gamma ** ((turns[t + 1] ?? turn + 1) - turn);
}

/**
 * Subtracts the mean over all tokens of all episodes and divides by their standard deviation (the
 * population's, so that the variance is 1 exactly). Tokens that are all equal get exactly 0; as in
 * `grpo`, equality allows for rounding residues, which no advantage may be made of.
 *
 * @param tokens one list for each episode
 * @param magnitude largest sum of magnitudes that a token was computed from, which bounds its residue
 */
export function whiten(tokens: readonly (readonly number[])[], magnitude: number): number[][] {
  const all = tokens.flat();
  const mean = all.reduce((sum, x) => sum + x, 0) / all.length;
  const std = Math.sqrt(all.reduce((sum, x) => sum + (x - mean) ** 2, 0) / all.length);
  const equal = equalUpTo(all, magnitude);
  return tokens.map((episode) => episode.map((x) => (equal ? 0 : (x - mean) / std)));
}

/**
 * Whether values differ by no more than what summing floats in another order can make of equal
 * ones: 2⁻⁴⁰ of the magnitude.
 */
export function equalUpTo(values: readonly number[], magnitude: number): boolean {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const x of values) {
    low = Math.min(low, x);
    high = Math.max(high, x);
  }
  return values.length < 2 || high - low <= magnitude * 2 ** -40;
}

/** Σ|x|. */
export function magnitudeOf(values: readonly number[]): number {
  return values.reduce((sum, x) => sum + Math.abs(x), 0);
}

/** The largest of any number of values, of 130,000 too, as many as no call takes arguments; −∞ of none. */
export function largestOf(values: readonly number[]): number {
  return values.reduce((most, x) => Math.max(most, x), Number.NEGATIVE_INFINITY);
}
