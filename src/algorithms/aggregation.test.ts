import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lossWeights } from './aggregation.ts';

describe('lossWeights', () => {
  it('matches hand-computed weights of a mini-batch', () => {
    // 2 + 0 + 6 = 8 tokens in 2 episodes that have any.
    const lengths = [2, 0, 6];
    expect(lossWeights(lengths, 'token_mean', 10)).toEqual([1 / 8, 0, 1 / 8]);
    expect(lossWeights(lengths, 'seq_mean_token_mean', 10)).toEqual([1 / 4, 0, 1 / 12]);
    expect(lossWeights(lengths, 'seq_mean_token_sum_norm', 10)).toEqual([1 / 20, 0, 1 / 20]);
    expect(lossWeights([], 'token_mean', 10)).toEqual([]);
    expect(lossWeights([0], 'seq_mean_token_mean', 10)).toEqual([0]);
  });

  it('gives a mini-batch whose tokens have loss 1 a loss of 1 as a mean, and the normalized mean length as a normalized sum', () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(lengths, (list) => {
        fc.pre(list.some((length) => length > 0));
        for (const aggregation of ['token_mean', 'seq_mean_token_mean'] as const) {
          const weights = lossWeights(list, aggregation, 1);
          const total = weights.reduce((sum, w, i) => sum + w * (list[i] ?? 0), 0);
          expect(total).toBeCloseTo(1, 9);
        }
        // With the third aggregation, the loss is the mean length divided by the normalizer.
        const weights = lossWeights(list, 'seq_mean_token_sum_norm', 25);
        const total = weights.reduce((sum, w, i) => sum + w * (list[i] ?? 0), 0);
        const present = list.filter((length) => length > 0);
        const meanLength = present.reduce((sum, x) => sum + x, 0) / present.length;
        expect(total).toBeCloseTo(meanLength / 25, 9);
      }),
    );
  });
});
