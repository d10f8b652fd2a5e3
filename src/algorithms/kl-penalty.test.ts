import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { klEstimate, klEstimators, penalizedRewards } from './kl-penalty.ts';

const ln2 = Math.log(2);

function softmax(logits: readonly number[]): number[] {
  const weights = logits.map(Math.exp);
  return weights.map((weight) => weight / weights.reduce((sum, x) => sum + x, 0));
}

describe('klEstimate', () => {
  it('gives ln 2, ln²2/2 and 1/2 − 1 + ln 2 for π = 1/2 and π_ref = 1/4', () => {
    const of = (estimator: (typeof klEstimators)[number]) =>
      klEstimate(Math.log(1 / 2), Math.log(1 / 4), estimator);
    expect(of('k1')).toBeCloseTo(ln2, 12);
    expect(of('k2')).toBeCloseTo(ln2 ** 2 / 2, 12);
    expect(of('k3')).toBeCloseTo(ln2 - 1 / 2, 12);
  });

  it('has mean KL(π‖π_ref) under π for k1 and k3, and is never negative for k2 and k3', () => {
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

describe('the gradient of an estimate in the loss', () => {
  /** Mean over y ~ π of ∇ estimate(y), with respect to the logits of π = softmax(z), by central differences. */
  const meanGradient = (
    logits: readonly number[],
    reference: readonly number[],
    estimator: (typeof klEstimators)[number],
  ): number[] => {
    const pi = softmax(logits);
    const h = 1e-5;
    return logits.map((z, i) => {
      const at = (moved: number) =>
        softmax(logits.with(i, moved)).map((p, y) =>
          klEstimate(Math.log(p), Math.log(reference[y] ?? 0), estimator),
        );
      const [above, below] = [at(z + h), at(z - h)];
      return pi.reduce((sum, p, y) => sum + (p * ((above[y] ?? 0) - (below[y] ?? 0))) / (2 * h), 0);
    });
  };

  it("is zero for k1, the reverse KL's for k2 and the forward KL's for k3", () => {
    const logits = [0.3, -1.2, 0.8, 0];
    const pi = softmax(logits);
    const reference = softmax([-0.5, 0.4, 1.1, -0.2]);
    // ∇z KL(π‖π_ref) = π·(log π/π_ref − KL(π‖π_ref)) and ∇z KL(π_ref‖π) = π − π_ref.
    const log = pi.map((p, y) => Math.log(p / (reference[y] ?? 0)));
    const divergence = pi.reduce((sum, p, y) => sum + p * (log[y] ?? 0), 0);
    const reverse = pi.map((p, y) => p * ((log[y] ?? 0) - divergence));
    const forward = pi.map((p, y) => p - (reference[y] ?? 0));
    const close = (numbers: readonly number[]) => numbers.map((n) => expect.closeTo(n, 8));
    expect(meanGradient(logits, reference, 'k1')).toEqual(close([0, 0, 0, 0]));
    expect(meanGradient(logits, reference, 'k2')).toEqual(close(reverse));
    expect(meanGradient(logits, reference, 'k3')).toEqual(close(forward));
  });
});

describe('penalizedRewards', () => {
  it('subtracts each token’s estimate times the coefficient', () => {
    // k1: log 1/2 − log 1/4 = ln 2 and log 1/4 − log 1/2 = −ln 2.
    const logps = [Math.log(1 / 2), Math.log(1 / 4)];
    const reference = [Math.log(1 / 4), Math.log(1 / 2)];
    const rewards = penalizedRewards([0, 3], logps, reference, 0.5, 'k1');
    expect(rewards).toEqual([-0.5 * ln2, 3 + 0.5 * ln2].map((r) => expect.closeTo(r, 12)));
    expect(penalizedRewards([1, 2], logps, logps, 0.5, 'k3')).toEqual([1, 2]);
  });

  it('rejects lists of different lengths', () => {
    expect(() => penalizedRewards([1], [], [0], 1, 'k1')).toThrow(/got 0 and 1/);
  });
});
