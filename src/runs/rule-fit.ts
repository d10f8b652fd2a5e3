/** Compares BAPO's entropy-clip rule with measured entropy changes. */

import type { MetricRow } from './metrics.ts';

/** The entropy-clip rule fitted to a run. */
export interface RuleFit {
  /** η in ΔH ≈ η · rule, by least squares through the origin; NaN if the rule is 0 throughout. */
  readonly step: number;
  /** Pearson's correlation of measured and predicted changes; NaN if one of them is constant. */
  readonly correlation: number;
  readonly updates: number;
  /** Number of diagnosed updates whose direction the rule predicted. */
  readonly sameSign: number;
  /** Number of diagnosed updates after which entropy was higher. */
  readonly rises: number;
}

/** Fits the step size of BAPO's entropy-clip rule (arXiv:2510.18927, Eq. 6) to all diagnoses so far. */
export function fitEntropyRule(rows: readonly { readonly metrics: MetricRow }[]): RuleFit {
  const pairs = rows.flatMap(({ metrics }) => {
    const measured = metrics['diagnostics/entropy_change'];
    const rule = metrics['diagnostics/entropy_rule'];
    return measured !== undefined &&
      rule !== undefined &&
      Number.isFinite(measured) &&
      Number.isFinite(rule)
      ? [{ measured, rule }]
      : [];
  });
  const sum = (of: (pair: { measured: number; rule: number }) => number) =>
    pairs.reduce((total, pair) => total + of(pair), 0);
  return {
    step: sum(({ measured, rule }) => measured * rule) / sum(({ rule }) => rule ** 2),
    correlation: correlation(pairs.map(({ measured, rule }) => [measured, rule])),
    updates: pairs.length,
    sameSign: pairs.filter(({ measured, rule }) => measured * rule > 0).length,
    rises: pairs.filter(({ measured }) => measured > 0).length,
  };
}

/** Pearson's correlation; NaN if one of the two is constant. */
export function correlation(pairs: readonly (readonly [x: number, y: number])[]): number {
  const sum = (of: (x: number, y: number) => number) =>
    pairs.reduce((total, [x, y]) => total + of(x, y), 0);
  const xMean = sum((x) => x) / pairs.length;
  const yMean = sum((_, y) => y) / pairs.length;
  const covariance = sum((x, y) => (x - xMean) * (y - yMean));
  const spread = sum((x) => (x - xMean) ** 2) * sum((_, y) => (y - yMean) ** 2);
  return spread === 0 ? Number.NaN : covariance / Math.sqrt(spread);
}
