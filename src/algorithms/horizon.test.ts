import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedHorizon, scalingInter } from './horizon.ts';

describe('a horizon schedule', () => {
  it('never changes if fixed', () => {
    const h = fixedHorizon(12);
    expect([1, 2, 1000].map(h)).toEqual([12, 12, 12]);
  });

  it('follows the published phases for scaling_inter (BabyAI: 6, 13 and 20 turns, 100 iterations each)', () => {
    const h = scalingInter([6, 13, 20], 100);
    expect([1, 100, 101, 200, 201, 300, 301, 9999].map(h)).toEqual([6, 6, 13, 13, 20, 20, 20, 20]);
  });

  it('stays in each phase except the last for exactly one interval, and never decreases', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 20 }),
        (steps, interval) => {
          let turns = 0;
          const rounds = steps.map((step) => {
            turns += step;
            return turns;
          });
          const h = scalingInter(rounds, interval);
          const seen = Array.from({ length: rounds.length * interval }, (_, i) => h(i + 1));
          expect(seen).toEqual(rounds.flatMap((r) => new Array(interval).fill(r)));
        },
      ),
    );
  });

  it('rejects decreasing phases, an empty list and iteration 0', () => {
    expect(() => scalingInter([10, 5], 3)).toThrow(/never decrease/);
    expect(() => scalingInter([], 3)).toThrow(/at least one phase/);
    expect(() => scalingInter([10], 3)(0)).toThrow(/count from 1/);
  });
});
