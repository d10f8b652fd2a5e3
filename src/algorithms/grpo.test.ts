import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalRewards, grpo } from './grpo.ts';

describe('grpo', () => {
  it('matches a group worked by hand', () => {
    // Rewards 1, 0, 0, 1: mean 1/2, sample variance 4·(1/4)/3 = 1/3, std 0.577350.
    const expected = 0.5 / (Math.sqrt(1 / 3) + 1e-6);
    expect(grpo([1, 0, 0, 1])).toEqual([expected, -expected, -expected, expected]);
    // Rewards 0, 0, 3: mean 1, sample variance (1 + 1 + 4)/2 = 3.
    const std = Math.sqrt(3) + 1e-6;
    expect(grpo([0, 0, 3])).toEqual([-1 / std, -1 / std, 2 / std]);
  });

  it('gives exactly zero to a group of equal rewards', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
        fc.integer({ min: 1, max: 64 }),
        (reward, n) => {
          expect(grpo(new Array(n).fill(reward))).toEqual(new Array(n).fill(0));
        },
      ),
    );
  });

  it('takes sums that differ by a rounding residue as equal', () => {
    // 0.1 + 0.2 is not 0.3 in floats; without the guard these advantages would not be zero.
    expect(grpo([0.1 + 0.2, 0.3, 0.3])).toEqual([0, 0, 0]);
    expect(equalRewards([0, 1e-3])).toBe(false);
  });

  it('sums to zero, keeps the order and ignores a shift of all rewards', () => {
    const group = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 32 });
    fc.assert(
      fc.property(group, fc.integer({ min: -20, max: 20 }), (rewards, shift) => {
        const A = grpo(rewards);
        expect(A.reduce((sum, a) => sum + a, 0)).toBeCloseTo(0, 9);
        const shifted = grpo(rewards.map((r) => r + shift));
        for (const [i, a] of A.entries()) {
          expect(shifted[i]).toBeCloseTo(a, 9);
          for (const [j, b] of A.entries()) {
            expect(Math.sign(a - b)).toBe(Math.sign((rewards[i] ?? 0) - (rewards[j] ?? 0)));
          }
        }
      }),
    );
  });
});
