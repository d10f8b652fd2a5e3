import { equalUpTo, variance } from './returns.ts';

/**
 * The share of the variance of the returns that the values explain:
 *
 *     1 − Var(R − V) / Var(R)
 *
 * 1 is perfect, 0 is no better than a constant prediction, below 0 is worse. NaN if all returns are
 * equal.
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
