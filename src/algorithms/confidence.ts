/** 95% confidence intervals of means and proportions. */

/** A mean with its 95% confidence interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** The standard normal distribution at 97.5%. */
const Z = 1.959963984540054;

/** Student's t at 97.5% for 1, 2, … degrees of freedom. */
const fewDegrees = [
  12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.306, 2.26216, 2.22814,
];

/**
 * Student's t at 97.5%: a table for few degrees of freedom, and beyond it the expansion about the
 * normal distribution (Abramowitz and Stegun 1964, 26.7.5), which is then good to four decimals.
 *
 * @param degrees of freedom, at least 1
 */
export function studentT(degrees: number): number {
  const known = fewDegrees[degrees - 1];
  if (known !== undefined) return known;
  const g1 = (Z ** 3 + Z) / 4;
  const g2 = (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / 96;
  const g3 = (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / 384;
  return Z + g1 / degrees + g2 / degrees ** 2 + g3 / degrees ** 3;
}

/**
 * Mean, sample standard deviation, and half the width of the mean's 95% confidence interval by
 * Student's t; both are 0 for a single value.
 */
export function meanAndSpread(values: readonly number[]): {
  mean: number;
  std: number;
  halfWidth: number;
} {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n < 2) return { mean, std: 0, halfWidth: 0 };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const std = Math.sqrt(squares / (n - 1));
  return { mean, std, halfWidth: (studentT(n - 1) * std) / Math.sqrt(n) };
}

/**
 * Wilson's score interval of a proportion (Wilson 1927). Unlike the interval of a mean it has a
 * width where every trial ended the same way, and never leaves [0, 1].
 *
 * The proportion may also be the mean of n independent estimates that each lie in [0, 1], such as
 * the success rates of n tasks: their variance is at most that of n single trials, so the interval
 * is then too wide rather than too narrow.
 *
 * @param proportion in [0, 1]
 * @param n trials, at least 1
 */
export function wilson(proportion: number, n: number): Estimate {
  const shrink = 1 + Z ** 2 / n;
  const centre = (proportion + Z ** 2 / (2 * n)) / shrink;
  const spread = Math.sqrt((proportion * (1 - proportion)) / n + Z ** 2 / (4 * n ** 2));
  const halfWidth = (Z * spread) / shrink;
  // Rounding must not push a bound past the proportion itself.
  return {
    mean: proportion,
    low: Math.max(0, Math.min(proportion, centre - halfWidth)),
    high: Math.min(1, Math.max(proportion, centre + halfWidth)),
  };
}
