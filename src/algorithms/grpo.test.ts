import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drGrpo, equalRewards, grpo } from './grpo.ts';
import { episode, signals, singles } from './testing/signals.ts';

const undiscounted = { gamma: 1, lambda: 1 };

/** The advantage of each episode, which all its tokens share. */
function ofEpisodes(estimates: readonly { readonly advantages: readonly number[] }[]): number[] {
  return estimates.map(({ advantages }) => {
    expect(new Set(advantages).size).toBe(1);
    return advantages[0] ?? Number.NaN;
  });
}

describe('grpo', () => {
  it('matches hand-computed advantages of groups', () => {
    // Rewards 1, 0, 0, 1: mean 1/2, sample variance 4·(1/4)/3 = 1/3, std 0.577350.
    const expected = 0.5 / (Math.sqrt(1 / 3) + 1e-6);
    const four = singles(0, [1, 0, 0, 1]);
    expect(ofEpisodes(grpo(four, undiscounted))).toEqual([
      expected,
      -expected,
      -expected,
      expected,
    ]);
    // Rewards 0, 0, 3: mean 1, sample variance (1 + 1 + 4)/2 = 3.
    const std = Math.sqrt(3) + 1e-6;
    const three = singles(0, [0, 0, 3]);
    expect(ofEpisodes(grpo(three, undiscounted))).toEqual([-1 / std, -1 / std, 2 / std]);
  });

  it('compares an episode only with its group, for any order and any group sizes', () => {
    // Group 7: rewards 1 and 0, mean 1/2, sample variance 2·(1/4)/1 = 1/2. Group 2: 0, 0, 3 as above.
    const pair = 0.5 / (Math.sqrt(1 / 2) + 1e-6);
    const std = Math.sqrt(3) + 1e-6;
    const mixed = [
      episode(2, 0),
      episode(7, 1),
      episode(2, 0),
      episode(2, 3),
      episode(7, 0),
      episode(5, 9),
    ];
    expect(ofEpisodes(grpo(mixed, undiscounted))).toEqual([
      -1 / std,
      pair,
      -1 / std,
      2 / std,
      -pair,
      0,
    ]);
  });

  it('gives every token of an episode the same advantage, from the reward discounted to its start', () => {
    // γ = 1/2. Tokens in turns 0, 0, 2 with rewards 1, 0, 4: R = 1 + 4/4 = 2. The other: R = 0.
    const episodes = [
      { group: 0, rewards: [1, 0, 4], turns: [0, 0, 2] },
      { group: 0, rewards: [0, 0], turns: [0, 1] },
    ];
    expect(drGrpo(episodes, { gamma: 0.5, lambda: 1 })).toEqual([
      { advantages: [1, 1, 1] },
      { advantages: [-1, -1] },
    ]);
  });

  it('gives exactly zero to a group of equal rewards', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
        fc.integer({ min: 1, max: 64 }),
        fc.constantFrom(grpo, drGrpo),
        (reward, n, estimator) => {
          const episodes = singles(0, new Array(n).fill(reward));
          expect(ofEpisodes(estimator(episodes, undiscounted))).toEqual(new Array(n).fill(0));
        },
      ),
    );
  });

  it('treats rewards that differ only by a rounding error as equal', () => {
    // 0.1 + 0.2 is not 0.3 in floats; without the guard these advantages would not be zero.
    const episodes = [episode(0, 0.1, 0.2), episode(0, 0.3), episode(0, 0.3)];
    expect(ofEpisodes(grpo(episodes, undiscounted))).toEqual([0, 0, 0]);
    expect(equalRewards([0, 1e-3])).toBe(false);
    expect(equalRewards([5])).toBe(true);
  });

  it('gives advantages that sum to zero, keep the order of the rewards and do not change if all rewards shift', () => {
    const group = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 32 });
    fc.assert(
      fc.property(
        group,
        fc.integer({ min: -20, max: 20 }),
        fc.constantFrom(grpo, drGrpo),
        (rewards, shift, estimator) => {
          const of = (R: readonly number[]) => ofEpisodes(estimator(singles(0, R), undiscounted));
          const A = of(rewards);
          expect(A.reduce((sum, a) => sum + a, 0)).toBeCloseTo(0, 9);
          const shifted = of(rewards.map((r) => r + shift));
          for (const [i, a] of A.entries()) {
            expect(shifted[i]).toBeCloseTo(a, 9);
            for (const [j, b] of A.entries()) {
              expect(Math.sign(a - b)).toBe(Math.sign((rewards[i] ?? 0) - (rewards[j] ?? 0)));
            }
          }
        },
      ),
    );
  });

  it('ignores the scale of the rewards, unlike drGrpo', () => {
    fc.assert(
      fc.property(signals, (episodes) => {
        const tenfold = episodes.map((e) => ({ ...e, rewards: e.rewards.map((r) => 10 * r) }));
        const [A, A10] = [episodes, tenfold].map((e) => ofEpisodes(grpo(e, undiscounted)));
        // Integer rewards differ by at least 1 or not at all, so the 1e-6 added to std is small.
        for (const [i, a] of (A ?? []).entries()) expect(A10?.[i]).toBeCloseTo(a, 4);
        const [D, D10] = [episodes, tenfold].map((e) => ofEpisodes(drGrpo(e, undiscounted)));
        for (const [i, a] of (D ?? []).entries()) expect(D10?.[i]).toBeCloseTo(10 * a, 9);
      }),
    );
  });
});
