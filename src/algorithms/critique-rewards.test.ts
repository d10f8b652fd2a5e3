import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CritiquedAnswer } from './critique-metrics.ts';
import {
  critiqueReward,
  discriminationReward,
  type IndirectReward,
  indirectRewards,
  type RewardForm,
} from './critique-rewards.ts';
import { drGrpo, grpo } from './grpo.ts';
import { rloo } from './rloo.ts';
import type { AdvantageEstimator } from './signal.ts';
import { singles } from './testing/signals.ts';

const undiscounted = { gamma: 1, lambda: 1 };

const answer = (right: boolean, verdict: boolean | null, refined: boolean): CritiquedAnswer => ({
  right,
  verdict,
  refined,
});

describe('critique rewards', () => {
  it('matches the equations', () => {
    // Columns: r(x, y), verdict, r(x, y′); then r_dis, r_refine, r_Δ, r_correction.
    const table: readonly (readonly [boolean, boolean | null, boolean, ...number[]])[] = [
      [true, true, true, 1, 1, 0, 0.2],
      [true, true, false, 1, 0, -1, 0],
      [true, false, true, 0, 1, 0, 0.2],
      [false, true, true, 0, 1, 1, 1],
      [false, false, true, 1, 1, 1, 1],
      [false, false, false, 1, 0, 0, 0],
      [true, null, true, 0, 1, 0, 0.2],
      [false, null, false, 0, 0, 0, 0],
    ];
    for (const [right, verdict, refined, ...rewards] of table) {
      const one = answer(right, verdict, refined);
      const { refine, delta, correction } = indirectRewards;
      expect([discriminationReward(one), refine(one), delta(one), correction(one)]).toEqual(
        rewards,
      );
    }
  });

  it('combines rewards as in the paper or as in the authors’ code', () => {
    const rewards = (form: RewardForm, one: CritiquedAnswer) =>
      critiqueReward(one, { indirect: 'refine', discrimination: 0.2, form });
    const warned = answer(false, false, true);
    const missed = answer(false, true, true);
    expect([rewards('sum', warned), rewards('sum', missed)]).toEqual([1.2, 1]);
    // In the code a wrong verdict forfeits the refinement's reward.
    expect([rewards('replace', warned), rewards('replace', missed)]).toEqual([1.2, -1]);
    expect(rewards('replace', answer(false, null, true))).toBe(-1);
    expect(rewards('sum', answer(false, null, true))).toBe(1);
    expect(rewards('replace', answer(true, true, false))).toBe(0.2);
  });
});

/**
 * A group: critiques of one answer, each with its verdict and whether its refinement is correct.
 */
const groups = fc.array(
  fc.record({
    right: fc.boolean(),
    critiques: fc.array(
      fc.record({
        verdict: fc.constantFrom(true, false, null),
        refined: fc.boolean(),
      }),
      { minLength: 2, maxLength: 8 },
    ),
  }),
  { minLength: 1, maxLength: 6 },
);
type Groups = typeof groups extends fc.Arbitrary<infer Value> ? Value : never;

/** The advantages of each group's critiques. */
function advantages(
  of: Groups,
  estimate: AdvantageEstimator,
  reward: (one: CritiquedAnswer) => number,
): number[][] {
  const signals = of.flatMap(({ right, critiques }, g) =>
    singles(
      g,
      critiques.map(({ verdict, refined }) => reward({ right, verdict, refined })),
    ),
  );
  const estimated = estimate(signals, undiscounted);
  return of.map((_, g) =>
    estimated.flatMap(({ advantages: A }, i) => (signals[i]?.group === g ? A : [])),
  );
}

function expectClose(found: number[][], wanted: number[][], digits = 9) {
  expect(found.map(({ length }) => length)).toEqual(wanted.map(({ length }) => length));
  for (const [g, own] of wanted.entries()) {
    for (const [k, A] of own.entries()) expect(found[g]?.[k]).toBeCloseTo(A, digits);
  }
}

const alone = (indirect: IndirectReward) => indirectRewards[indirect];

describe('for critiques of the same answer,', () => {
  it('r_refine and r_Δ have the same advantages under RLOO for any β₁', () => {
    fc.assert(
      fc.property(groups, fc.double({ min: 0, max: 2, noNaN: true }), (of, discrimination) => {
        const under = (indirect: IndirectReward) =>
          advantages(of, rloo, (one) =>
            critiqueReward(one, { indirect, discrimination, form: 'sum' }),
          );
        expectClose(under('delta'), under('refine'));
      }),
    );
  });

  it('r_correction equals r_refine with correct first answers scaled by 0.2, under RLOO', () => {
    fc.assert(
      fc.property(groups, (of) => {
        const refine = advantages(of, rloo, alone('refine'));
        const scaled = refine.map((own, g) => own.map((A) => A * (of[g]?.right ? 0.2 : 1)));
        expectClose(advantages(of, rloo, alone('correction')), scaled);
      }),
    );
  });

  it('all three have the same advantages under GRPO, which divides by the standard deviation', () => {
    fc.assert(
      fc.property(groups, (of) => {
        const refine = advantages(of, grpo, alone('refine'));
        expectClose(advantages(of, grpo, alone('delta')), refine);
        // Up to the 1e-6 added to the standard deviation, which is at least 0.2·√(7/8/7) here.
        expectClose(advantages(of, grpo, alone('correction')), refine, 3);
      }),
    );
  });

  it('r_correction differs without division by the standard deviation: a correct first answer counts one fifth', () => {
    const of = [
      { right: true, critiques: [true, false].map((refined) => ({ verdict: true, refined })) },
    ];
    expect(advantages(of, rloo, alone('refine'))).toEqual([[1, -1]]);
    expectClose(advantages(of, rloo, alone('correction')), [[0.2, -0.2]]);
    expectClose(advantages(of, drGrpo, alone('correction')), [[0.1, -0.1]]);
  });

  it('r_refine and r_Δ differ in the authors’ `replace` form', () => {
    const of = [
      {
        right: true,
        critiques: [
          { verdict: true, refined: true },
          { verdict: false, refined: true },
        ],
      },
    ];
    const under = (indirect: IndirectReward) =>
      advantages(of, rloo, (one) =>
        critiqueReward(one, { indirect, discrimination: 0.2, form: 'replace' }),
      );
    // 1.2 against −1, and 0.2 against −1.
    expectClose(under('refine'), [[2.2, -2.2]]);
    expectClose(under('delta'), [[1.2, -1.2]]);
  });
});
