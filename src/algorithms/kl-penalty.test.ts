import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { klEstimate, klEstimators, penalizedRewards } from './kl-penalty.ts';

const ln2 = Math.log(2);

describe('klEstimate', () => {
  it('with π = 1/2 and π_ref = 1/4: d = −ln 2, so ln 2, ln²2/2 and 1/2 − 1 + ln 2', () => {
    const of = (estimator: (typeof klEstimators)[number]) =>
      klEstimate(Math.log(1 / 2), Math.log(1 / 4), estimator);
    expect(of('k1')).toBeCloseTo(ln2, 12);
    expect(of('k2')).toBeCloseTo(ln2 ** 2 / 2, 12);
    expect(of('k3')).toBeCloseTo(ln2 - 1 / 2, 12);
  });

  it('has KL(π‖π_ref) as its mean under π for k1 and k3, and k2 and k3 are never negative', () => {
    const distribution = fc
      .array(fc.integer({ min: 1, max: 100 }), { minLength: 4, maxLength: 4 })
      .map((counts) => counts.map((n) => n / counts.reduce((sum, x) => sum + x, 0)));
    fc.assert(
      fc.property(distribution, distribution, (pi, reference) => {
        const pairs = pi.map((p, y) => [p, reference[y] ?? Number.NaN] as const);
        const divergence = pairs.reduce((sum, [p, q]) => sum + p * Math.log(p / q), 0);
        for (const estimator of klEstimators) {
          const terms = pairs.map(([p, q]) => klEstimate(Math.log(p), Math.log(q), estimator));
          const mean = terms.reduce((sum, term, y) => sum + (pi[y] ?? 0) * term, 0);
          if (estimator !== 'k2') expect(mean).toBeCloseTo(divergence, 9);
          if (estimator !== 'k1') expect(Math.min(...terms)).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});

describe('penalizedRewards', () => {
  it('takes the coefficient’s share of each token’s estimate', () => {
    // k1: log 1/2 − log 1/4 = ln 2 and log 1/4 − log 1/2 = −ln 2.
    const logps = [Math.log(1 / 2), Math.log(1 / 4)];
    const reference = [Math.log(1 / 4), Math.log(1 / 2)];
    const rewards = penalizedRewards([0, 3], logps, reference, 0.5, 'k1');
    expect(rewards).toEqual([-0.5 * ln2, 3 + 0.5 * ln2].map((r) => expect.closeTo(r, 12)));
    expect(penalizedRewards([1, 2], logps, logps, 0.5, 'k3')).toEqual([1, 2]);
  });

  it('refuses lists of different lengths', () => {
    expect(() => penalizedRewards([1], [], [0], 1, 'k1')).toThrow(/got 0 and 1/);
  });
});
