import { describe, expect, it } from 'vitest';
import { meanAndSpread, studentT, wilson } from './confidence.ts';

describe('studentT', () => {
  it('is that of printed tables, on both sides of where the expansion begins', () => {
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
    // 2, 4, 6, 8, 10: mean 6, variance (16 + 4 + 0 + 4 + 16)/4 = 10, half width 2.77645·√(10/5).
    const { mean, std, halfWidth } = meanAndSpread([2, 4, 6, 8, 10]);
    expect(mean).toBe(6);
    expect(std).toBeCloseTo(Math.sqrt(10), 12);
    expect(halfWidth).toBeCloseTo(2.77645 * Math.SQRT2, 12);
  });

  it('has no spread for a single value', () => {
    expect(meanAndSpread([3])).toEqual({ mean: 3, std: 0, halfWidth: 0 });
  });
});

describe('wilson', () => {
  it('is what the formula gives by hand', () => {
    // p = 0.8, n = 10, z² = 3.84146: centre (0.8 + 0.192073) / 1.384146, half the width
    // 1.959964 · √(0.016 + 0.00960365) / 1.384146.
    const { mean, low, high } = wilson(0.8, 10);
    expect(mean).toBe(0.8);
    expect(low).toBeCloseTo(0.71674 - 0.226577, 5);
    expect(high).toBeCloseTo(0.71674 + 0.226577, 5);
  });

  it('has a width where every trial ended the same way', () => {
    // At 0 the upper bound is z² / (n + z²).
    expect(wilson(0, 10)).toEqual({ mean: 0, low: 0, high: expect.closeTo(0.277533, 5) });
    expect(wilson(1, 10)).toEqual({ mean: 1, low: expect.closeTo(0.722467, 5), high: 1 });
  });

  it('holds the proportion and stays within [0, 1]', () => {
    for (let n = 1; n <= 40; n++) {
      for (let c = 0; c <= n; c++) {
        const { mean, low, high } = wilson(c / n, n);
        expect(low >= 0 && low <= mean && mean <= high && high <= 1).toBe(true);
      }
    }
  });
});
