import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { remax } from './remax.ts';
import { episode, signals } from './testing/signals.ts';

describe('remax', () => {
  it('subtracts the reward of the greedy episode', () => {
    // γ = 1/2: R = 0 + 1/2 + 4/4 = 3/2, less 1/4.
    const A = remax([{ ...episode(0, 0, 1, 4), greedyReward: 0.25 }], { gamma: 0.5, lambda: 1 });
    expect(A).toEqual([{ advantages: [1.25, 1.25, 1.25] }]);
  });

  it('is zero if an episode’s reward equals the greedy one, and decreases as the greedy reward increases', () => {
    fc.assert(
      fc.property(signals, fc.integer({ min: -20, max: 20 }), (episodes, more) => {
        const of = (baseline: (R: number) => number) =>
          remax(
            episodes.map((e) => ({
              ...e,
              greedyReward: baseline(e.rewards.reduce((sum, r) => sum + r, 0)),
            })),
            { gamma: 1, lambda: 1 },
          ).flatMap(({ advantages }) => advantages);
        for (const a of of((R) => R)) expect(a).toBe(0);
        for (const a of of((R) => R + more)) expect(a).toBe(0 - more);
      }),
    );
  });

  it('rejects an episode without its greedy reward', () => {
    expect(() => remax([episode(0, 1)], { gamma: 1, lambda: 1 })).toThrow(/greedy episode/);
  });
});
