import type { EpisodeSignal } from './signal.ts';

/**
 * Reward of a whole episode, discounted from its start: Σ_t γ^turn(t)·rₜ.
 */
export function episodeReward({ rewards, turns }: EpisodeSignal, gamma: number): number {
  return rewards.reduce((sum, reward, t) => sum + gamma ** (turns[t] ?? Number.NaN) * reward, 0);
}

/**
 * Discount between token t and the next, γ^(turn(t+1) − turn(t)): 1 within a turn. Anything after
 * the last token belongs to the next turn.
 */
export function discountAfter({ turns }: EpisodeSignal, t: number, gamma: number): number {
  const turn = turns[t] ?? Number.NaN;
  return gamma ** ((turns[t + 1] ?? turn + 1) - turn);
}

/**
 * Subtracts the mean over the values of all tokens and divides by their standard deviation (the
 * population's, so that the variance is 1 exactly). If all values are equal, the result is exactly
 * 0; as in `grpo`, equality tolerates rounding errors, which must not become advantages.
 *
 * @param tokens one list per episode
 * @param magnitude largest sum of absolute values over the inputs of an episode; it bounds the
 *   rounding error
 */
export function whiten(tokens: readonly (readonly number[])[], magnitude: number): number[][] {
  const all = joined(tokens);
  const std = Math.sqrt(variance(all));
  const mean = meanOf(all);
  const equal = equalUpTo(all, magnitude);
  return tokens.map((episode) => episode.map((x) => (equal ? 0 : (x - mean) / std)));
}

/**
 * Whether values differ by no more than the rounding error of summing equal floats in another
 * order: 2⁻⁴⁰ of the magnitude.
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

export function meanOf(values: readonly number[]): number {
  let sum = 0;
  for (const x of values) sum += x;
  return sum / values.length;
}

/** The population's variance. */
export function variance(values: readonly number[]): number {
  const mean = meanOf(values);
  let sum = 0;
  for (const x of values) sum += (x - mean) ** 2;
  return sum / values.length;
}

/** Σ|x|. */
export function magnitudeOf(...lists: readonly (readonly number[])[]): number {
  let sum = 0;
  for (const values of lists) for (const x of values) sum += Math.abs(x);
  return sum;
}

/** All values in one list; several times faster than `flat` on many short lists. */
export function joined(lists: readonly (readonly number[])[]): number[] {
  const all: number[] = [];
  for (const values of lists) for (const x of values) all.push(x);
  return all;
}

/** The largest value of a list; −∞ if empty. Unlike `Math.max(...values)`, accepts any length. */
export function largestOf(values: readonly number[]): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const x of values) most = Math.max(most, x);
  return most;
}
