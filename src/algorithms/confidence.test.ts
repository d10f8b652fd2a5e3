import { describe, expect, it } from 'vitest';
import {
  bootstrapInterval,
  boundedInterval,
  interquartileMean,
  meanAndSpread,
  studentInterval,
  studentT,
  wilson,
} from './confidence.ts';

describe('studentT', () => {
  it('matches printed tables, both where it uses a table and where it uses the expansion', () => {
    const printed: [number, number][] = [
      [1, 12.706],
      [2, 4.303],
      [10, 2.228],
      [11, 2.201],
      [12, 2.179],
      [20, 2.086],
      [24, 2.064],
      [30, 2.042],
      [60, 2],
      [120, 1.98],
      [1e9, 1.96],
    ];
    for (const [degrees, value] of printed) expect(studentT(degrees)).toBeCloseTo(value, 3);
  });
});

describe('meanAndSpread', () => {
  it('gives the 95% interval by Student’s t', () => {
    // 2, 4, 6, 8, 10: mean 6, variance (16 + 4 + 0 + 4 + 16)/4 = 10, half-width 2.77645·√(10/5).
    const { mean, std, halfWidth } = meanAndSpread([2, 4, 6, 8, 10]);
    expect(mean).toBe(6);
    expect(std).toBeCloseTo(Math.sqrt(10), 12);
    expect(halfWidth).toBeCloseTo(2.77645 * Math.SQRT2, 12);
  });

  it('has zero spread for a single value', () => {
    expect(meanAndSpread([3])).toEqual({ mean: 3, std: 0, halfWidth: 0 });
  });
});

describe('wilson', () => {
  it('matches a hand-computed example', () => {
    // p = 0.8, n = 10, z² = 3.84146: center (0.8 + 0.192073) / 1.384146, half-width
    // 1.959964 · √(0.016 + 0.00960365) / 1.384146.
    const { mean, low, high } = wilson(0.8, 10);
    expect(mean).toBe(0.8);
    expect(low).toBeCloseTo(0.71674 - 0.226577, 5);
    expect(high).toBeCloseTo(0.71674 + 0.226577, 5);
  });

  it('has a positive width if every trial has the same outcome', () => {
    // At 0 the upper bound is z² / (n + z²).
    expect(wilson(0, 10)).toEqual({ mean: 0, low: 0, high: expect.closeTo(0.277533, 5) });
    expect(wilson(1, 10)).toEqual({ mean: 1, low: expect.closeTo(0.722467, 5), high: 1 });
  });

  it('contains the proportion and stays within [0, 1]', () => {
    for (let n = 1; n <= 40; n++) {
      for (let c = 0; c <= n; c++) {
        const { mean, low, high } = wilson(c / n, n);
        expect(low >= 0 && low <= mean && mean <= high && high <= 1).toBe(true);
      }
    }
  });
});

describe('boundedInterval', () => {
  it('matches a hand-computed example on the logit scale', () => {
    // 0.5, 0.7, 0.9: mean 0.7, standard deviation 0.2, Student's half-width 4.30265 · 0.2/√3 =
    // 0.496827; logit 0.7 = 0.847298, with a half-width of 0.496827/0.21 = 2.365844.
    const { mean, low, high } = boundedInterval([0.5, 0.7, 0.9]);
    expect(mean).toBeCloseTo(0.7, 12);
    expect(low).toBeCloseTo(1 / (1 + Math.exp(1.518546)), 5);
    expect(high).toBeCloseTo(1 / (1 + Math.exp(-3.213142)), 5);
  });

  it('never leaves the bounds, unlike Student’s interval', () => {
    const seeds = [0.8, 1];
    expect(studentInterval(seeds)).toEqual({
      mean: 0.9,
      low: expect.closeTo(0.9 - 1.27062, 4),
      high: expect.closeTo(0.9 + 1.27062, 4),
    });
    for (const values of [seeds, [0, 0, 1], [0, 1], [0.99, 1, 1, 1, 0.2], [1e-9, 0]]) {
      const { mean, low, high } = boundedInterval(values);
      expect(low >= 0 && low <= mean && mean <= high && high <= 1).toBe(true);
    }
    const difference = boundedInterval([-1, 0.9, 1], [-1, 1]);
    expect(difference.low >= -1 && difference.high <= 1).toBe(true);
    // The same values on another scale have the same interval on that scale.
    const scaled = boundedInterval([0, 0.4, 0.8], [-1, 1]);
    const plain = boundedInterval([0.5, 0.7, 0.9]);
    expect(scaled.low).toBeCloseTo(2 * plain.low - 1, 12);
    expect(scaled.high).toBeCloseTo(2 * plain.high - 1, 12);
  });

  it('has zero width if all values agree, and is NaN for a single value', () => {
    expect(boundedInterval([1, 1, 1])).toEqual({ mean: 1, low: 1, high: 1 });
    expect(boundedInterval([0.4])).toEqual({ mean: 0.4, low: Number.NaN, high: Number.NaN });
    expect(studentInterval([0.4])).toEqual({ mean: 0.4, low: Number.NaN, high: Number.NaN });
  });
});

describe('interquartileMean', () => {
  it('omits a quarter at either end, rounded down', () => {
    expect(interquartileMean([9, 1, 2, 3])).toBe(2.5);
    // Of ten values, two at either end are dropped: (3 + 4 + 5 + 6 + 7 + 8)/6.
    expect(interquartileMean([10, 9, 8, 7, 6, 5, 4, 3, 2, -100])).toBe(5.5);
    expect(interquartileMean([1, 2, 6])).toBe(3);
  });
});

describe('bootstrapInterval', () => {
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;

  it('matches the binomial distribution for zeros and ones', () => {
    // Number of ones in 20 draws with probability ½: the 2.5% quantile is 6 and the 97.5% quantile
    // 14; at most 5 has probability 0.0207, at most 6 has 0.0577.
    const values = Array.from({ length: 20 }, (_, i) => i % 2);
    expect(bootstrapInterval([values], mean)).toEqual({ mean: 0.5, low: 0.3, high: 0.7 });
  });

  it('resamples within strata only, is deterministic, and stays within the range of the values', () => {
    // Without variance within strata, every resample is equal.
    expect(
      bootstrapInterval(
        [
          [0, 0],
          [1, 1],
        ],
        mean,
      ),
    ).toEqual({ mean: 0.5, low: 0.5, high: 0.5 });
    const seeds = [
      [0.2, 0.9, 1],
      [0.5, 0.6],
    ];
    const once = bootstrapInterval(seeds, interquartileMean);
    expect(bootstrapInterval(seeds, interquartileMean)).toEqual(once);
    expect(once.low).toBeGreaterThanOrEqual(0.2);
    expect(once.high).toBeLessThanOrEqual(1);
    expect(bootstrapInterval([[3]], mean).low).toBeNaN();
  });
});
