import { describe, expect, it } from 'vitest';
import { explainedVariance } from './explained-variance.ts';

describe('explainedVariance', () => {
  it('matches hand-computed values', () => {
    // Returns 0, 2, 4: variance 8/3. Errors 0, 1, 2: variance 2/3. 1 − 1/4.
    expect(explainedVariance([0, 1, 2], [0, 2, 4])).toBeCloseTo(3 / 4, 12);
    // Errors 0, 4, 8: four times the variance of the returns.
    expect(explainedVariance([0, -2, -4], [0, 2, 4])).toBeCloseTo(-3, 12);
  });

  it('is 1 if the values equal the returns up to a constant, and 0 for constant values', () => {
    expect(explainedVariance([0, 2, 4], [0, 2, 4])).toBe(1);
    expect(explainedVariance([5, 7, 9], [0, 2, 4])).toBe(1);
    expect(explainedVariance([3, 3, 3], [0, 2, 4])).toBe(0);
  });

  it('is NaN if all returns are equal up to rounding errors', () => {
    expect(explainedVariance([1, 2], [0.3, 0.3])).toBeNaN();
    expect(explainedVariance([1, 2], [0.1 + 0.2, 0.3])).toBeNaN();
    expect(explainedVariance([1], [3])).toBeNaN();
    expect(explainedVariance([], [])).toBeNaN();
  });
});
