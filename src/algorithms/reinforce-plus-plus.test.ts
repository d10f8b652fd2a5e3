import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reinforcePlusPlus } from './reinforce-plus-plus.ts';
import { episode, signals } from './testing/signals.ts';

describe('reinforcePlusPlus', () => {
  it('matches hand-computed returns', () => {
    // γ = 1/2, turns 0, 0, 1, rewards 0, 1, 2: G₂ = 2, G₁ = 1 + 2/2 = 2, G₀ = 0 + 1·2 = 2.
    // The other episode: G = −2. Mean (2 + 2 + 2 − 2)/4 = 1, variance (1 + 1 + 1 + 9)/4 = 3.
    const episodes = [
      { group: 0, rewards: [0, 1, 2], turns: [0, 0, 1] },
      { group: 1, rewards: [-2], turns: [0] },
    ];
    const A = reinforcePlusPlus(episodes, { gamma: 0.5, lambda: 1 });
    const third = Math.sqrt(3);
    expect(A[0]?.advantages.map((a) => a * third)).toEqual([1, 1, 1].map((x) => expect.closeTo(x)));
    expect(A[1]?.advantages.map((a) => a * third)).toEqual([expect.closeTo(-3)]);
  });

  it('gives advantages of mean 0 and variance 1 over all tokens, or all zero', () => {
    fc.assert(
      fc.property(signals, fc.constantFrom(0, 0.5, 1), (episodes, gamma) => {
        const A = reinforcePlusPlus(episodes, { gamma, lambda: 1 }).flatMap((e) => e.advantages);
        expect(A.reduce((sum, a) => sum + a, 0) / A.length).toBeCloseTo(0, 9);
        const variance = A.reduce((sum, a) => sum + a * a, 0) / A.length;
        if (A.some((a) => a !== 0)) expect(variance).toBeCloseTo(1, 9);
      }),
    );
  });

  it('gives zero to returns that are equal up to rounding errors', () => {
    const [a, b] = [0.1 + 0.2, 0.3];
    expect(a).not.toBe(b);
    const A = reinforcePlusPlus([episode(0, a), episode(0, b)], { gamma: 1, lambda: 1 });
    expect(A).toEqual([{ advantages: [0] }, { advantages: [0] }]);
  });

  it('does not change if all returns shift by the same amount', () => {
    // With γ = 1, a constant reward on each last token shifts all returns equally.
    fc.assert(
      fc.property(signals, fc.integer({ min: -20, max: 20 }), (episodes, shift) => {
        const of = (e: typeof episodes) => reinforcePlusPlus(e, { gamma: 1, lambda: 1 });
        const shifted = episodes.map((e) => ({
          ...e,
          rewards: e.rewards.map((r, t) => (t === e.rewards.length - 1 ? r + shift : r)),
        }));
        const [A, B] = [of(episodes), of(shifted)].map((x) => x.flatMap((e) => e.advantages));
        for (const [i, a] of (A ?? []).entries()) expect(B?.[i]).toBeCloseTo(a, 9);
      }),
    );
  });
});
