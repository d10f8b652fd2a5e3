import { describe, expect, it } from 'vitest';
import { clusteredMean, clusteredShare, effectiveTrials } from './clustered.ts';
import { meanAndSpread, wilson } from './confidence.ts';

/** Three goals with two tasks each: both solved, one solved, none solved. */
const goals = ['a', 'a', 'b', 'b', 'c', 'c'];
const solved = [1, 1, 1, 0, 0, 0];
/** Every trial is its own cluster. */
const alone = (count: number) => Array.from({ length: count }, (_, i) => String(i));

describe('clusteredMean', () => {
  it('matches a hand-computed example', () => {
    // Deviations by goal 1, 0, −1: V = 3/2 · 2 / 36 = 1/12, and t(2) = 4.30265.
    const { mean, low, high } = clusteredMean(solved, goals);
    expect(mean).toBe(0.5);
    expect(low).toBeCloseTo(0.5 - 4.30265 / Math.sqrt(12), 10);
    expect(high).toBeCloseTo(0.5 + 4.30265 / Math.sqrt(12), 10);
  });

  it('equals Student’s interval if every trial is its own cluster', () => {
    const values = [2, 4, 6, 8, 10];
    const { mean, halfWidth } = meanAndSpread(values);
    const found = clusteredMean(values, alone(5));
    expect(found.mean).toBe(mean);
    expect(found.high).toBeCloseTo(mean + halfWidth, 12);
  });

  it('stays within the range of the values if the range is given', () => {
    // The plain interval is [−0.74, 1.74]; on the logit scale its half-width is 1.24/0.25.
    const { mean, low, high } = clusteredMean(solved, goals, [0, 1]);
    const half = 4.30265 / Math.sqrt(12) / 0.25;
    expect(mean).toBe(0.5);
    expect(low).toBeCloseTo(1 / (1 + Math.exp(half)), 10);
    expect(high).toBeCloseTo(1 / (1 + Math.exp(-half)), 10);
    expect(clusteredMean([1, 1, 1], alone(3), [0, 1])).toEqual({ mean: 1, low: 1, high: 1 });
    expect(clusteredMean([1, 3], ['a', 'a'], [0, 5]).low).toBeNaN();
  });

  it('has no interval for a single cluster', () => {
    expect(clusteredMean([1, 3], ['a', 'a'])).toEqual({
      mean: 2,
      low: Number.NaN,
      high: Number.NaN,
    });
  });
});

describe('effectiveTrials', () => {
  it('matches a hand-computed example', () => {
    // With one more goal solved and one more not, 5 of 10: deviations by goal 1, 0, −1, 1, −1, so
    // 4 · 5/4 = 5; by task 10 · 0.25 · 10/9 = 25/9. The design effect is 5 / (25/9) = 1.8.
    expect(effectiveTrials(solved, goals)).toBeCloseTo(6 / 1.8, 12);
  });

  it('equals the number of clusters if all tasks have the same outcome', () => {
    // 8 of 10: by goal 3 · 0.4² + 0.4² + 1.6² = 3.2, times 5/4 is 4; by task 1.6 · 10/9. The design
    // effect of 2.25 would exceed the cluster size, 2.
    expect(effectiveTrials([1, 1, 1, 1, 1, 1], goals)).toBe(3);
    expect(effectiveTrials([0, 0, 0, 0, 0, 0], goals)).toBe(3);
  });

  it('accounts for different cluster sizes', () => {
    // With two more clusters of mean size 2, 6 of 8: by cluster 0.75² + 0.25² + 0.5² + 1.5² =
    // 3.125, times 4/3; by task 1.5 · 8/7. The minimum is 16 / (9 + 1).
    const found = effectiveTrials([1, 1, 1, 1], ['a', 'a', 'a', 'b']);
    expect(found).toBeCloseTo((4 * 1.5 * (8 / 7)) / ((3.125 * 4) / 3), 12);
    expect(found).toBeGreaterThan(1.6);
    expect(effectiveTrials([1, 1, 1], ['a', 'a', 'a'])).toBe(1);
  });

  it('equals the number of trials if each is its own cluster, for any outcomes', () => {
    for (let solved = 0; solved <= 12; solved++) {
      const values = Array.from({ length: 12 }, (_, i) => Number(i < solved));
      expect(effectiveTrials(values, alone(12))).toBe(12);
      expect(clusteredShare(values, alone(12))).toEqual(wilson(solved / 12, 12));
    }
  });

  it('lies between the numbers of clusters and of trials, even without failures', () => {
    const clusters = Array.from({ length: 68 }, (_, i) => String(i >> 2));
    const trials = (failed: number) =>
      effectiveTrials(
        // One failure in each of the first `failed` goals.
        Array.from({ length: 68 }, (_, i) => Number(i % 4 > 0 || i >> 2 >= failed)),
        clusters,
      );
    const counts = Array.from({ length: 18 }, (_, failed) => trials(failed));
    expect(counts[0]).toBe(17);
    expect(counts[1]).toBeLessThan(25);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    for (const count of counts) expect(count).toBeLessThanOrEqual(68);
  });
});

describe('clusteredShare', () => {
  it('covers the true share for correlated tasks, unlike Wilson’s interval over tasks', () => {
    // 17 goals with four tasks each; a goal is solved with probability 0.8, always with all its
    // tasks.
    let draw = 1;
    const random = () => {
      draw = Math.imul(draw, 1664525) + 1013904223;
      return (draw >>> 0) / 2 ** 32;
    };
    const clusters = Array.from({ length: 68 }, (_, i) => String(i >> 2));
    let [clustered, byTask] = [0, 0];
    const rounds = 2000;
    for (let round = 0; round < rounds; round++) {
      const goals = Array.from({ length: 17 }, () => Number(random() < 0.8));
      const values = clusters.map((cluster) => goals[Number(cluster)] ?? 0);
      const rate = values.reduce((sum, value) => sum + value, 0) / 68;
      const holds = ({ low, high }: { low: number; high: number }) => low <= 0.8 && high >= 0.8;
      clustered += Number(holds(clusteredShare(values, clusters)));
      byTask += Number(holds(wilson(rate, 68)));
    }
    expect(clustered / rounds).toBeGreaterThan(0.93);
    expect(byTask / rounds).toBeLessThan(0.8);
  });
});
