import { describe, expect, it } from 'vitest';
import { passAtK } from './pass-at-k.ts';

describe('passAtK', () => {
  it('is 1 − C(n−c, k) / C(n, k)', () => {
    expect(passAtK(4, 1, 1)).toBeCloseTo(0.25, 12);
    // 1 − C(3, 2) / C(4, 2) = 1 − 3/6
    expect(passAtK(4, 1, 2)).toBeCloseTo(0.5, 12);
    // 1 − C(7, 3) / C(10, 3) = 1 − 35/120
    expect(passAtK(10, 3, 3)).toBeCloseTo(85 / 120, 12);
    expect(passAtK(5, 0, 5)).toBe(0);
    expect(passAtK(5, 1, 5)).toBe(1);
    expect(passAtK(5, 5, 1)).toBe(1);
  });

  it('is unbiased: its mean over all outcomes of n coin flips is 1 − (1−p)^k', () => {
    const [n, p] = [6, 0.3];
    for (let k = 1; k <= n; k++) {
      let mean = 0;
      for (let outcome = 0; outcome < 2 ** n; outcome++) {
        const c = outcome.toString(2).replaceAll('0', '').length;
        mean += p ** c * (1 - p) ** (n - c) * passAtK(n, c, k);
      }
      expect(mean).toBeCloseTo(1 - (1 - p) ** k, 12);
    }
  });

  it('does not overflow', () => {
    expect(passAtK(2000, 1, 1000)).toBeCloseTo(0.5, 9);
  });

  it('rejects k above the number of samples', () => {
    expect(() => passAtK(3, 1, 4)).toThrow(/pass@4 needs at least 4 samples, got 3/);
    expect(() => passAtK(3, 4, 1)).toThrow(RangeError);
  });
});
