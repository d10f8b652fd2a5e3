/** Means, interquartile means, differences and proportions with 95% confidence intervals. */
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A mean with its 95% confidence interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** The 97.5% quantile of the standard normal distribution. */
const Z = 1.959963984540054;

/** 97.5% quantiles of Student's t distribution with 1, 2, … degrees of freedom. */
const fewDegrees = [
  12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.306, 2.26216, 2.22814,
];

/**
 * The 97.5% quantile of Student's t distribution: from a table for few degrees of freedom; for more,
 * from the expansion about the normal quantile (Abramowitz and Stegun 1964, 26.7.5), which is
 * accurate to four decimals there.
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
 * Mean, sample standard deviation, and the half-width of the mean's 95% confidence interval by
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
 * Wilson's score interval of a proportion (Wilson 1927). Unlike Student's interval, it has a
 * positive width even if all trials have the same outcome, and it stays within [0, 1].
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
  const center = (proportion + Z ** 2 / (2 * n)) / shrink;
  const spread = Math.sqrt((proportion * (1 - proportion)) / n + Z ** 2 / (4 * n ** 2));
  const halfWidth = (Z * spread) / shrink;
  // Rounding must not push a bound past the proportion itself.
  return {
    mean: proportion,
    low: Math.max(0, Math.min(proportion, center - halfWidth)),
    high: Math.min(1, Math.max(proportion, center + halfWidth)),
  };
}

/** Student's interval of a mean; NaN for a single value. */
export function studentInterval(values: readonly number[]): Estimate {
  const { mean, halfWidth } = meanAndSpread(values);
  const known = values.length > 1 ? halfWidth : Number.NaN;
  return { mean, low: mean - known, high: mean + known };
}

/** The range of a number. */
export type Bounds = readonly [least: number, most: number];

/**
 * Confidence interval of a mean that stays within the range of its values. It is computed on the
 * logit scale with the delta method, as for a proportion in Brown, Cai and DasGupta 2001, section
 * 4.1.2: logit p ± e / (p·(1 − p)), where p is the mean and e the half-width of the plain interval,
 * both rescaled so that the range is [0, 1]. If the mean is at a bound, all values are equal and
 * the interval has no width.
 *
 * @param halfWidth of the plain interval, such as Student's
 */
export function withinBounds(mean: number, halfWidth: number, [least, most]: Bounds): Estimate {
  const p = (mean - least) / (most - least);
  if (!(p > 0 && p < 1)) return { mean, low: mean, high: mean };
  const spread = halfWidth / (most - least) / (p * (1 - p));
  const logit = Math.log(p / (1 - p));
  const at = (x: number) => least + (most - least) / (1 + Math.exp(-x));
  // Rounding must not push a bound past the mean itself.
  return {
    mean,
    low: Math.min(mean, at(logit - spread)),
    high: Math.max(mean, at(logit + spread)),
  };
}

/**
 * Student's interval of the mean of values in a range, kept within that range (`withinBounds`); NaN
 * for a single value.
 */
export function boundedInterval(values: readonly number[], bounds: Bounds = [0, 1]): Estimate {
  const { mean, halfWidth } = meanAndSpread(values);
  return values.length < 2
    ? { mean, low: Number.NaN, high: Number.NaN }
    : withinBounds(mean, halfWidth, bounds);
}

/**
 * Interquartile mean: the mean after dropping the lowest and the highest quarter of the values,
 * rounded down (Agarwal et al. 2021, arXiv:2108.13264). One bad seed in ten has little effect on
 * it, and unlike the median it uses half of the values.
 */
export function interquartileMean(values: readonly number[]): number {
  const cut = Math.floor(values.length / 4);
  const kept = values.toSorted((a, b) => a - b).slice(cut, values.length - cut);
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}

/** Number of bootstrap resamples. */
const RESAMPLES = 10_000;

/**
 * Percentile interval of a statistic by the stratified bootstrap (arXiv:2108.13264, section 4.1):
 * every draw resamples each stratum, the runs of one task, with replacement. The interval stays
 * within the range of the values. Draws are seeded: equal values give equal intervals. With few
 * values it is too narrow: with 3 seeds it reflects only their own spread.
 *
 * @param strata at least one, none of them empty
 * @param statistic of all values together
 */
export function bootstrapInterval(
  strata: readonly (readonly number[])[],
  statistic: (values: readonly number[]) => number,
): Estimate {
  const mean = statistic(strata.flat());
  if (strata.every(({ length }) => length < 2)) {
    return { mean, low: Number.NaN, high: Number.NaN };
  }
  const random = xoroshiro128plus(1);
  const drawn = Array.from({ length: RESAMPLES }, () =>
    statistic(
      strata.flatMap((values) =>
        values.map(() => values[uniformInt(random, 0, values.length - 1)] ?? Number.NaN),
      ),
    ),
  ).sort((a, b) => a - b);
  return { mean, low: quantile(drawn, 0.025), high: quantile(drawn, 0.975) };
}

/** @param sorted ascending; interpolated linearly */
function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}
