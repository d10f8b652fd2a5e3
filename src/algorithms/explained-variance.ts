import { equalUpTo } from './returns.ts';

/**
 * How much of the variance of the returns the values explain:
 *
 *     1 − Var(R − V) / Var(R)
 *
 * 1 is all, 0 no more than a constant does, below 0 worse than that. NaN where the returns are all
 * equal, for there is nothing to explain.
 *
 * @param values (N)
 * @param returns (N)
 */
export function explainedVariance(values: readonly number[], returns: readonly number[]): number {
  const largest = returns.reduce((most, R) => Math.max(most, Math.abs(R)), 0);
  if (equalUpTo(returns, largest)) return Number.NaN;
  const errors = returns.map((R, i) => R - (values[i] ?? Number.NaN));
  return 1 - variance(errors) / variance(returns);
}

function variance(values: readonly number[]): number {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  return values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length;
}
