import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entropyRule } from './entropy-rule.ts';
import { softmaxScores } from './objective.ts';

const bounds = { clipLow: 0.8, clipHigh: 1.2 };
const ln2 = Math.log(2);

/** A token of a tabular softmax policy; `count` over the sum of counts is its probability. */
interface Token {
  readonly count: number;
  readonly A: number;
  readonly ratio: number;
}

/** The rule on a sample in which every token occurs as often as its probability says. */
function predicted(policy: readonly Token[], { clipLow, clipHigh } = bounds): number {
  const total = policy.reduce((sum, { count }) => sum + count, 0);
  const sample = policy.flatMap((token) => new Array<Token>(token.count).fill(token));
  return entropyRule({
    logps: sample.map(({ count }) => Math.log(count / total)),
    advantages: sample.map(({ A }) => A),
    ratios: sample.map(({ ratio }) => ratio),
    clipLow,
    clipHigh,
  });
}

/** (H(z + η·A·X) − H(z))/η: the natural policy gradient's step, entropies exact. */
function measured(policy: readonly Token[], step: number): number {
  const z = policy.map(({ count }) => Math.log(count));
  const moved = policy.map(({ A, ratio }, y) => {
    const X = (A > 0 && ratio < bounds.clipHigh) || (A < 0 && ratio > bounds.clipLow) ? 1 : 0;
    return (z[y] ?? Number.NaN) + step * A * X;
  });
  return (softmaxScores(moved, 1).entropy - softmaxScores(z, 1).entropy) / step;
}

describe('entropyRule', () => {
  // Probabilities 1/2, 1/4, 1/8, 1/8: H = (1/2 + 2/4 + 3/8 + 3/8)·ln 2 = 1.75·ln 2.
  const counts = [4, 2, 1, 1];
  const only = (y: number, A: number, ratio = 1) =>
    counts.map((count, k) => ({ count, A: k === y ? A : 0, ratio }));

  it('has the sign of each quadrant, with one token moving by hand', () => {
    // −Cov = −π_y·A·(log π_y + H). y = 0: −1/2·(−1 + 1.75)·ln 2. y = 3: −1/8·(−3 + 1.75)·ln 2.
    expect(predicted(only(0, 1))).toBeCloseTo(-0.375 * ln2, 12);
    expect(predicted(only(0, -1))).toBeCloseTo(0.375 * ln2, 12);
    expect(predicted(only(3, 1))).toBeCloseTo(0.15625 * ln2, 12);
    expect(predicted(only(3, -1))).toBeCloseTo(-0.15625 * ln2, 12);
  });

  it('leaves out what the bounds clip, on the bound too, and only on the advantage’s side', () => {
    expect(predicted(only(3, 1, 1.3))).toBeCloseTo(0, 12);
    expect(predicted(only(3, 1, 1.2))).toBeCloseTo(0, 12);
    expect(predicted(only(3, 1, 1.3), { clipLow: 0.8, clipHigh: 1.4 })).toBeCloseTo(
      0.15625 * ln2,
      12,
    );
    expect(predicted(only(3, 1, 0.1))).toBeCloseTo(0.15625 * ln2, 12);
    expect(predicted(only(0, -1, 0.8))).toBeCloseTo(0, 12);
    expect(predicted(only(0, -1, 5))).toBeCloseTo(0.375 * ln2, 12);
  });

  it('is what the entropy of a tabular policy does under a small step, to first order', () => {
    const token = fc.record({
      count: fc.integer({ min: 1, max: 20 }),
      A: fc.integer({ min: -30, max: 30 }).map((x) => x / 10),
      ratio: fc.integer({ min: 5, max: 15 }).map((x) => x / 10),
    });
    fc.assert(
      fc.property(fc.array(token, { minLength: 2, maxLength: 6 }), (policy) => {
        const rule = predicted(policy);
        // What is left is of second order: it falls with the step.
        for (const step of [1e-3, 1e-4, 1e-5]) {
          expect(Math.abs(measured(policy, step) - rule)).toBeLessThan(50 * step);
        }
      }),
    );
  });

  it('predicts nothing for a uniform policy or for advantages that are all equal', () => {
    const uniform = [2, -1, 0.5].map((A) => ({ count: 1, A, ratio: 1 }));
    expect(predicted(uniform)).toBeCloseTo(0, 12);
    const equal = counts.map((count) => ({ count, A: 2, ratio: 1 }));
    expect(predicted(equal)).toBeCloseTo(0, 12);
    expect(predicted([])).toBeNaN();
  });
});
