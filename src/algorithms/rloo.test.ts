import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rloo } from './rloo.ts';
import { episode, singles } from './testing/signals.ts';

const undiscounted = { gamma: 1, lambda: 1 };

describe('rloo', () => {
  it('subtracts the mean of the group’s other rewards', () => {
    // 4 − (1 + 1)/2 = 3;  1 − (4 + 1)/2 = −3/2 twice.  Group 1: 2 − 0 and 0 − 2.
    const episodes = [
      episode(0, 4),
      episode(1, 1, 1),
      episode(0, 1),
      episode(0, 1),
      episode(1, 0, 0),
    ];
    expect(rloo(episodes, undiscounted).map(({ advantages }) => advantages)).toEqual([
      [3],
      [2, 2],
      [-1.5],
      [-1.5],
      [-2, -2],
    ]);
  });

  it('discounts rewards by turn from the start of the episode', () => {
    // γ = 1/2: 2/2 = 1 in turn 1 against 2/4 = 1/2 in turn 2.
    const A = rloo([episode(0, 0, 2), episode(0, 0, 0, 2)], { gamma: 0.5, lambda: 1 });
    expect(A).toEqual([{ advantages: [0.5, 0.5] }, { advantages: [-0.5, -0.5, -0.5] }]);
  });

  it('compares episodes only within their group and gives zero for equal rewards', () => {
    const rewards = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(rewards, (R) => {
        const A = rloo(singles(3, R), undiscounted);
        for (const [i, r] of R.entries()) {
          const others = R.filter((_, j) => j !== i);
          const baseline = others.reduce((sum, x) => sum + x, 0) / others.length;
          expect(A[i]?.advantages[0]).toBeCloseTo(r - baseline, 9);
        }
      }),
    );
    expect(rloo(singles(0, [0.1, 0.1, 0.1]), undiscounted)).toEqual(
      new Array(3).fill({ advantages: [0] }),
    );
  });

  it('rejects a group with a single episode', () => {
    expect(() => rloo([...singles(0, [1, 2]), episode(4, 1)], undiscounted)).toThrow(
      /at least 2, but group 4 has 1/,
    );
  });
});
