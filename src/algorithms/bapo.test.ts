import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BapoRows, bapoSearch, contribution } from './bapo.ts';
import { type BapoSettings, bapoOrders, bapoReadings, defaultObjective } from './objective.ts';

/** [ratio, advantage, behavior probability] of each token. */
function tokens(...list: readonly (readonly [number, number, number])[]): BapoRows {
  return {
    ratios: list.map(([r]) => r),
    advantages: list.map(([, A]) => A),
    behaviorLogps: list.map(([, , p]) => Math.log(p)),
  };
}

const paper = defaultObjective.bapo;

/** Ranges of 4 lower and 6 upper steps, all of them exact in floats. */
const exact: BapoSettings = {
  ...paper,
  lowMin: 0.5,
  lowMax: 1,
  lowStep: 0.125,
  highMin: 1.25,
  highMax: 2,
  highStep: 0.125,
};

/** Up to 12 tokens with ratios from 0.1 to 4, evenly spread, unlike fast-check's doubles. */
const batch: fc.Arbitrary<BapoRows> = fc
  .array(
    fc.tuple(
      fc.integer({ min: 10, max: 400 }),
      fc.integer({ min: -300, max: 300 }),
      fc.integer({ min: 1, max: 100 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((list) => tokens(...list.map(([r, A, p]) => [r / 100, A / 100, p / 100] as const)));

/** Arguments of a property: a batch, a reading, an order and a target share. */
const searches = [
  batch,
  fc.constantFrom(...bapoReadings),
  fc.constantFrom(...bapoOrders),
  fc.integer({ min: 0, max: 100 }).map((x) => x / 100),
] as const;

describe('contribution of positive tokens', () => {
  // f = min(r·A, clip(r)·A) at [0.5, 1.25]:
  //   r = 2,   A = 1,  π_b = 1/4:  |f| = 1.25        clipped above
  //   r = 1,   A = 2,  π_b = 1/2:  |f| = 2           inside
  //   r = 1/4, A = −2, π_b = 1/2:  |f| = 0.5·2 = 1   clipped below
  //   r = 2,   A = −1, π_b = 1/8:  |f| = 2           not clipped, for A < 0
  const rows = tokens([2, 1, 1 / 4], [1, 2, 1 / 2], [1 / 4, -2, 1 / 2], [2, -1, 1 / 8], [9, 0, 1]);

  it('is (1.25/4 + 2/2) / (1.25/4 + 2/2 + 1/2 + 2/8) = 1.3125 / 2.0625 as a value share', () => {
    expect(contribution(rows, 0.5, 1.25, 'value_share')).toBeCloseTo(1.3125 / 2.0625, 12);
  });

  it('is (1.25 + 2) / (1 + 2) as a P/N ratio, which is not weighted by probability', () => {
    expect(contribution(rows, 0.5, 1.25, 'pn_ratio')).toBeCloseTo(3.25 / 3, 12);
  });

  it('is 1 / (1 + 2/8) as an active-gradient share, which omits clipped tokens', () => {
    expect(contribution(rows, 0.5, 1.25, 'active_gradient_share')).toBeCloseTo(0.8, 12);
  });

  it('equals (P/N) / (1 + P/N) as a value share if all behavior probabilities are equal', () => {
    fc.assert(
      fc.property(batch, ({ ratios, advantages }) => {
        const same = { ratios, advantages, behaviorLogps: Array.from(ratios, () => -1) };
        const share = contribution(same, 0.8, 1.2, 'value_share');
        const pn = contribution(same, 0.8, 1.2, 'pn_ratio');
        fc.pre(Number.isFinite(pn));
        expect(share).toBeCloseTo(pn / (1 + pn), 9);
      }),
    );
  });

  it('rises with the upper bound for the value share and the P/N ratio', () => {
    fc.assert(
      fc.property(batch, fc.constantFrom('value_share', 'pn_ratio'), (rows, reading) => {
        const [tight, wide] = [1.2, 3].map((high) => contribution(rows, 0.6, high, reading));
        fc.pre(Number.isFinite(tight));
        expect(wide).toBeGreaterThanOrEqual((tight ?? Number.NaN) * (1 - 1e-12));
      }),
    );
  });
});

describe('raising the lower bound', () => {
  it("lowers the value share and the P/N ratio, contrary to the search's goal, because max(r, c_low)·|A| grows", () => {
    fc.assert(
      fc.property(batch, fc.constantFrom('value_share', 'pn_ratio'), (rows, reading) => {
        const [low, high] = [0.6, 0.9].map((bound) => contribution(rows, bound, 1.2, reading));
        fc.pre(Number.isFinite(low));
        expect(high).toBeLessThanOrEqual((low ?? Number.NaN) * (1 + 1e-12));
      }),
    );
  });

  it('raises the active-gradient share', () => {
    fc.assert(
      fc.property(batch, (rows) => {
        const [low, high] = [0.6, 0.9].map((bound) =>
          contribution(rows, bound, 1.2, 'active_gradient_share'),
        );
        fc.pre(Number.isFinite(low) && Number.isFinite(high));
        expect(high).toBeGreaterThanOrEqual((low ?? Number.NaN) * (1 - 1e-12));
      }),
    );
  });

  it('exhausts the range for the value share but not for the active-gradient share', () => {
    // r = 1, A = 1 against r = 0.55, A = −1, each with π_b = 1/2, and a target share of 0.66.
    const rows = tokens([1, 1, 1 / 2], [0.55, -1, 1 / 2]);
    const settings: BapoSettings = { ...exact, order: 'low_first', target: 0.66 };
    // At c_low = 0.5 the share is 1/1.55 = 0.645; at 0.625 it is 1/1.625 = 0.615; at 1 it is 1/2. The
    // upper bound moves no token here, so the search exhausts both ranges without success.
    expect(bapoSearch(rows, settings)).toMatchObject({
      clipLow: 1,
      clipHigh: 2,
      lowSteps: 4,
      highSteps: 6,
      rho: expect.closeTo(0.5, 12),
    });
    // At c_low = 0.625 the negative token is clipped and no longer counts: 1/1.
    expect(bapoSearch(rows, { ...settings, reading: 'active_gradient_share' })).toEqual({
      clipLow: 0.625,
      clipHigh: 1.25,
      lowSteps: 1,
      highSteps: 0,
      rho: 1,
    });
  });
});

describe('bapoSearch', () => {
  it('matches a hand-computed search', () => {
    // r = 2, A = 1 against r = 1, A = −1: ρ = c_high for the P/N ratio, c_high/(c_high + 1) as a share
    // of equal π_b. For ρ₀ = 0.59: 1.25 → 0.556, 1.375 → 0.579, 1.5 → 0.6.
    const rows = tokens([2, 1, 1 / 2], [1, -1, 1 / 2]);
    expect(bapoSearch(rows, { ...exact, target: 0.59 })).toEqual({
      clipLow: 0.5,
      clipHigh: 1.5,
      rho: expect.closeTo(0.6, 12),
      lowSteps: 0,
      highSteps: 2,
    });
    expect(bapoSearch(rows, { ...exact, reading: 'pn_ratio', target: 1.5 })).toEqual({
      clipLow: 0.5,
      clipHigh: 1.5,
      rho: 1.5,
      lowSteps: 0,
      highSteps: 2,
    });
    // Lower bound first: it must reach the end of its range, 1, before the upper bound moves.
    expect(bapoSearch(rows, { ...exact, order: 'low_first', target: 0.59 })).toMatchObject({
      clipLow: 1,
      clipHigh: 1.5,
      lowSteps: 4,
      highSteps: 2,
    });
  });

  it('matches the paper’s loop in both search orders and for every contribution measure', () => {
    const literal = (rows: BapoRows, s: BapoSettings) => {
      let [c_low, c_high] = [s.lowMin, s.highMin];
      const rho = () => contribution(rows, c_low, c_high, s.reading);
      if (s.order === 'high_first') {
        while (rho() < s.target && c_low + s.lowStep <= s.lowMax) {
          if (c_high + s.highStep <= s.highMax) c_high += s.highStep;
          else c_low += s.lowStep;
        }
      } else {
        while (rho() < s.target && c_high + s.highStep <= s.highMax) {
          if (c_low + s.lowStep <= s.lowMax) c_low += s.lowStep;
          else c_high += s.highStep;
        }
      }
      return { clipLow: c_low, clipHigh: c_high, rho: rho() };
    };
    fc.assert(
      fc.property(...searches, (rows, reading, order, target) => {
        const settings = { ...exact, reading, order, target };
        expect(bapoSearch(rows, settings)).toMatchObject(literal(rows, settings));
      }),
      { numRuns: 500 },
    );
  });

  it('stays inside the ranges and stops at the first sufficient bounds', () => {
    fc.assert(
      fc.property(...searches, (rows, reading, order, target) => {
        const settings = { ...paper, reading, order, target };
        const found = bapoSearch(rows, settings);
        const { clipLow, clipHigh, rho, lowSteps, highSteps } = found;
        expect(clipLow).toBeGreaterThanOrEqual(0.6);
        expect(clipLow).toBeLessThanOrEqual(0.9 + 1e-9);
        expect(clipHigh).toBeGreaterThanOrEqual(1.2);
        expect(clipHigh).toBeLessThanOrEqual(3 + 1e-9);
        if (rho < target) expect([lowSteps, highSteps]).toEqual([15, 36]);
        // One bound moves only once the other is exhausted.
        if (order === 'high_first' && lowSteps > 0) expect(highSteps).toBe(36);
        if (order === 'low_first' && highSteps > 0) expect(lowSteps).toBe(15);
        // One step earlier, the bounds were not sufficient.
        const lowLast = order === 'high_first' ? lowSteps > 0 : highSteps === 0;
        if (lowSteps + highSteps > 0) {
          const before = contribution(
            rows,
            0.6 + 0.02 * (lowSteps - (lowLast ? 1 : 0)),
            1.2 + 0.05 * (highSteps - (lowLast ? 0 : 1)),
            reading,
          );
          expect(before).toBeLessThan(target);
        }
      }),
    );
  });

  it('reaches the ends of the paper’s ranges, which repeated addition would miss because of rounding errors', () => {
    let [c_low, added] = [0.6, 0];
    for (; c_low + 0.02 <= 0.9; added++) c_low += 0.02;
    expect(added).toBe(14);
    expect(Math.floor((0.95 - 0.8) / 0.05)).toBe(2);
    const negatives = tokens([1, -1, 1 / 2]);
    const small = { ...paper, lowMin: 0.8, lowMax: 0.95, lowStep: 0.05 };
    expect(bapoSearch(negatives, paper)).toMatchObject({ rho: 0, lowSteps: 15, highSteps: 36 });
    expect(bapoSearch(negatives, small)).toMatchObject({ lowSteps: 3, highSteps: 36 });
    expect(bapoSearch(negatives, small).clipLow).toBeCloseTo(0.95, 12);
  });

  it('stops before an end that is not a whole number of steps away', () => {
    const negatives = tokens([1, -1, 1 / 2]);
    const uneven = { ...exact, lowMax: 0.7, highMax: 1.49 };
    expect(bapoSearch(negatives, uneven)).toMatchObject({ clipLow: 0.625, clipHigh: 1.375 });
    // With an empty range for one bound, the other still moves.
    const stuck = { ...exact, lowMax: 0.5 };
    expect(bapoSearch(negatives, stuck)).toMatchObject({ clipLow: 0.5, clipHigh: 2 });
  });

  it('keeps the initial bounds if no token contributes, or only positive ones do', () => {
    const start = { clipLow: 0.5, clipHigh: 1.25, lowSteps: 0, highSteps: 0 };
    for (const reading of bapoReadings) {
      const settings = { ...exact, reading };
      const nothing = bapoSearch(tokens([1, 0, 1 / 2], [2, 0, 1]), settings);
      expect(nothing).toEqual({ ...start, rho: Number.NaN });
      expect(bapoSearch(tokens(), settings)).toEqual({ ...start, rho: Number.NaN });
      const rho = reading === 'pn_ratio' ? Number.POSITIVE_INFINITY : 1;
      expect(bapoSearch(tokens([1, 1, 1 / 2]), settings)).toEqual({ ...start, rho });
    }
  });
});
