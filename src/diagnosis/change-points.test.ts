import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestChange, changePoints, cusum, noiseOf } from './change-points.ts';

/** Deterministic scatter of about ±1, without autocorrelation. */
const scatter = (i: number) => Math.sin(12.9898 * i) + Math.sin(78.233 * i);
const steps = (levels: readonly number[], length: number) =>
  levels.flatMap((level, part) =>
    Array.from({ length }, (_, i) => level + 0.2 * scatter(part * length + i)),
  );

/** The optimum that PELT must find: the least cost over all splits, by exhaustive search. */
function leastCost(values: readonly number[], least: number, penalty: number): number {
  const cost = (from: number, to: number) => {
    const part = values.slice(from, to);
    const mean = part.reduce((sum, value) => sum + value, 0) / part.length;
    return part.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  };
  const best = [-penalty];
  for (let to = 1; to <= values.length; to++) {
    let smallest = Number.POSITIVE_INFINITY;
    for (let from = 0; from <= to - least; from++) {
      smallest = Math.min(
        smallest,
        (best[from] ?? Number.POSITIVE_INFINITY) + cost(from, to) + penalty,
      );
    }
    best[to] = smallest;
  }
  return best[values.length] ?? Number.NaN;
}

describe('change-point detection', () => {
  it('estimates noise from first differences, so that steps and trends hardly affect it', () => {
    expect(noiseOf([1])).toBeNaN();
    const flat = steps([0], 40);
    const ramp = flat.map((value, i) => value + i);
    expect(noiseOf(ramp)).toBeCloseTo(noiseOf(flat));
    expect(noiseOf(steps([0, 50], 20))).toBeLessThan(2 * noiseOf(flat));
  });

  it('finds all steps, and none in a flat or short series', () => {
    expect(changePoints(steps([0], 60))).toEqual([]);
    expect(changePoints(steps([0, 4], 20))).toEqual([20]);
    expect(changePoints(steps([0, 4, 1], 20))).toEqual([20, 40]);
    expect(changePoints([1, 2, 3])).toEqual([]);
  });

  it('finds the minimum-cost segmentation', () => {
    const list = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 10, maxLength: 24 });
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 4 }), (values, least) => {
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        const floor = 1e-6 * values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
        const penalty = 3 * Math.max(noiseOf(values) ** 2, floor) * Math.log(values.length);
        const ends = [0, ...changePoints(values, least), values.length];
        const found = ends.slice(1).reduce(
          (sum, to, part) => {
            const stretch = values.slice(ends[part], to);
            const level = stretch.reduce((total, value) => total + value, 0) / stretch.length;
            return sum + stretch.reduce((total, value) => total + (value - level) ** 2, 0);
          },
          penalty * (ends.length - 2),
        );
        expect(found).toBeCloseTo(leastCost(values, least, penalty), 6);
      }),
      // If starts are pruned too early, this example fails: a pruned start is the best one for a
      // nearby end.
      { examples: [[[-1, 0, 0, 2, -4, -9, -8, -1, 2, 5], 4]] },
    );
  });

  it('returns a confidence interval for the position of a change', () => {
    expect(bestChange([1, 2, 3])).toBeUndefined();
    const clear = bestChange(steps([0, 9], 15));
    expect(clear).toEqual({ at: 15, from: 15, to: 15 });
    const faint = bestChange(steps([0, 0.5], 15));
    expect(faint?.from).toBeLessThanOrEqual(15);
    expect(faint?.to).toBeGreaterThanOrEqual(15);
    expect((faint?.to ?? 0) - (faint?.from ?? 0)).toBeGreaterThan(0);
  });
});

describe('CUSUM', () => {
  it('raises no alarm at a constant level, and dates the start of a drift to the sum’s last zero', () => {
    const level = Array.from({ length: 50 }, (_, i) => 0.3 * scatter(i));
    expect(cusum(level, 0, 1)).toBeUndefined();
    const falls = [...level, ...Array.from({ length: 10 }, () => -2)];
    const alarm = cusum(falls, 0, 1);
    // Each value adds 1.5 beyond the drift, so the sum exceeds 5 at the fourth.
    expect(alarm).toMatchObject({ at: 53, direction: 'down' });
    expect(Math.abs((alarm?.onset ?? 0) - 50)).toBeLessThanOrEqual(1);
    expect(cusum([Number.NaN, 4, 4], 0, 1)).toEqual({ at: 2, onset: 0, direction: 'up' });
  });
});
