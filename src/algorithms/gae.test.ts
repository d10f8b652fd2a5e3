import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gae } from './gae.ts';
import { episode, signals } from './testing/signals.ts';

describe('gae', () => {
  it('matches a hand-computed episode', () => {
    // γ = λ = 1/2, turns 0, 0, 1.
    //   t = 2: δ = 2 + 1/2·8 − 4 = 2              A = 2
    //   t = 1: δ = 1 + 1/2·4 − 2 = 1              A = 1 + 1/2·1/2·2 = 3/2
    //   t = 0: δ = 0 +   1·2 − 1 = 1 (same turn)  A = 1 +   1·1/2·3/2 = 7/4
    // Returns A + V; mean of A 7/4, deviations 0, −1/4, 1/4, variance 1/24.
    const [estimate] = gae(
      [{ group: 0, rewards: [0, 1, 2], turns: [0, 0, 1], values: [1, 2, 4], bootstrap: 8 }],
      { gamma: 0.5, lambda: 0.5 },
    );
    expect(estimate?.returns).toEqual([2.75, 3.5, 6]);
    const whitened = [0, -0.25 * Math.sqrt(24), 0.25 * Math.sqrt(24)];
    expect(estimate?.advantages).toEqual(whitened.map((a) => expect.closeTo(a, 12)));
  });

  it('gives returns equal to the reward-to-go plus the bootstrap value, both discounted, for λ = 1', () => {
    fc.assert(
      fc.property(signals, fc.constantFrom(0, 0.5, 0.9, 1), (episodes, gamma) => {
        const estimates = gae(episodes, { gamma, lambda: 1 });
        for (const [i, { rewards, turns, bootstrap }] of episodes.entries()) {
          for (const [t, from] of turns.entries()) {
            const end = (turns.at(-1) ?? 0) + 1;
            const toGo = rewards
              .slice(t)
              .reduce((sum, r, k) => sum + gamma ** ((turns[t + k] ?? 0) - from) * r, 0);
            const R = toGo + gamma ** (end - from) * (bootstrap ?? Number.NaN);
            expect(estimates[i]?.returns?.[t]).toBeCloseTo(R, 9);
          }
        }
      }),
    );
  });

  it('gives returns equal to the one-step TD targets for λ = 0', () => {
    fc.assert(
      fc.property(signals, (episodes) => {
        const estimates = gae(episodes, { gamma: 1, lambda: 0 });
        for (const [i, { rewards, values, bootstrap }] of episodes.entries()) {
          const next = [...(values ?? []).slice(1), bootstrap];
          const targets = rewards.map((r, t) => r + (next[t] ?? Number.NaN));
          expect(estimates[i]?.returns).toEqual(targets);
        }
      }),
    );
  });

  it('gives advantages of mean 0 and variance 1 over all tokens, or all zero', () => {
    fc.assert(
      fc.property(signals, fc.constantFrom(0, 0.5, 1), (episodes, lambda) => {
        const A = gae(episodes, { gamma: 0.9, lambda }).flatMap((e) => e.advantages);
        expect(A.reduce((sum, a) => sum + a, 0) / A.length).toBeCloseTo(0, 9);
        const variance = A.reduce((sum, a) => sum + a * a, 0) / A.length;
        if (A.some((a) => a !== 0)) expect(variance).toBeCloseTo(1, 9);
      }),
    );
  });

  it('gives zero advantages if the values are exact up to rounding errors', () => {
    // V is the reward-to-go at every token, up to rounding: in floats 0.1 + 0.2 is not 0.3.
    const right = { ...episode(0, 0.1, 0.2, 0.3), values: [0.6, 0.5, 0.3], bootstrap: 0 };
    expect(0.1 + 0.5 - 0.6).toBe(0);
    expect(0.1 + (0.2 + 0.3) - 0.6).toBe(0);
    const off = { ...episode(0, 0.1, 0.2), values: [0.3, 0.2], bootstrap: 0 };
    expect(0.1 + 0.2 - 0.3).not.toBe(0);
    expect(gae([right, off], { gamma: 1, lambda: 1 }).map((e) => e.advantages)).toEqual([
      [0, 0, 0],
      [0, 0],
    ]);
  });

  it('rejects an episode without values or bootstrap', () => {
    const settings = { gamma: 1, lambda: 1 };
    expect(() => gae([episode(0, 1)], settings)).toThrow(/a value for each of 1 tokens/);
    expect(() => gae([{ ...episode(0, 1), values: [1] }], settings)).toThrow(/a bootstrap/);
    expect(() => gae([{ ...episode(0, 1), values: [1, 2], bootstrap: 0 }], settings)).toThrow(
      /got 2 values/,
    );
  });
});
