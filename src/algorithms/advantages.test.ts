import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advantageNames, estimators } from './advantages.ts';
import { signals } from './testing/signals.ts';

describe.each(advantageNames)('%s', (name) => {
  /** Every episode twice, so that no group has a single episode. */
  const doubled = signals.map((episodes) => episodes.flatMap((e) => [e, e]));

  it('gives every token a finite advantage in episode order, and accepts an empty list', () => {
    fc.assert(
      fc.property(doubled, fc.constantFrom(0, 0.5, 1), (episodes, gamma) => {
        const estimates = estimators[name].estimate(episodes, { gamma, lambda: 0.9 });
        expect(estimates).toHaveLength(episodes.length);
        for (const [i, estimate] of estimates.entries()) {
          expect(estimate.advantages).toHaveLength(episodes[i]?.rewards.length ?? -1);
          expect(estimate.advantages.every(Number.isFinite)).toBe(true);
          // The same episode twice gets the same advantages.
          if (i % 2 === 1) expect(estimate).toEqual(estimates[i - 1]);
        }
      }),
    );
    expect(estimators[name].estimate([], { gamma: 1, lambda: 1 })).toEqual([]);
  });

  it('does not depend on the order of the episodes', () => {
    fc.assert(
      fc.property(doubled, (episodes) => {
        const settings = { gamma: 0.5, lambda: 0.9 };
        const forth = estimators[name].estimate(episodes, settings);
        const back = estimators[name].estimate(episodes.toReversed(), settings).toReversed();
        for (const [i, estimate] of forth.entries()) {
          for (const [t, a] of estimate.advantages.entries()) {
            expect(back[i]?.advantages[t]).toBeCloseTo(a, 9);
          }
        }
      }),
    );
  });
});
