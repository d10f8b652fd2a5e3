import { describe, expect, it } from 'vitest';
import { atTokens, curve, doublings, type Sample, type SampledTask } from './test-time.ts';

const right = (tokens = 10): Sample => ({ answer: '5', right: true, tokens });
const wrong = (answer: string, tokens = 10): Sample => ({ answer, right: false, tokens });

const tasks: readonly SampledTask[] = [
  { cluster: 'a', samples: [wrong('2', 8), right(12), right(10), wrong('2', 10)] },
  { cluster: 'b', samples: [wrong('1'), wrong('1'), wrong('1'), right()] },
];

describe('doublings', () => {
  it('doubles up to the maximum', () => {
    expect(doublings(1)).toEqual([1]);
    expect(doublings(8)).toEqual([1, 2, 4, 8]);
    expect(doublings(6)).toEqual([1, 2, 4, 6]);
  });
});

describe('the curve of parallel samples', () => {
  const points = curve(tasks, 'parallel', [1, 2, 4]);

  it('averages over all subsets of samples, regardless of their order', () => {
    // 2 of 4 and 1 of 4 samples are correct.
    expect(points[0]?.majority.mean).toBeCloseTo((0.5 + 0.25) / 2, 12);
    // Of the 6 pairs, 1 is correct, 4 are tied and 1 is wrong; then 3 tied, 3 wrong.
    expect(points[1]?.majority.mean).toBeCloseTo((0.5 + 1.5 / 6) / 2, 12);
    expect(points[1]?.pass.mean).toBeCloseTo((5 / 6 + 3 / 6) / 2, 12);
    // All four: a tie, and a majority that is wrong.
    expect(points[2]?.majority.mean).toBeCloseTo(0.25, 12);
    expect(points[2]?.pass.mean).toBe(1);
    expect(points.map(({ last }) => last)).toEqual([null, null, null]);
  });

  it('reports the mean number of tokens per task', () => {
    expect(points.map(({ tokens }) => tokens)).toEqual([10, 20, 40]);
  });

  it('has confidence intervals over clusters of tasks', () => {
    const [one] = curve([...tasks, ...tasks], 'parallel', [1]);
    const apart = [...tasks, ...tasks].map((task, i) => ({ ...task, cluster: String(i) }));
    const [free] = curve(apart, 'parallel', [1]);
    if (one === undefined || free === undefined) throw new Error('a point each');
    expect(one.majority.high - one.majority.low).toBeGreaterThan(
      free.majority.high - free.majority.low,
    );
  });
});

describe('the curve of sequential samples', () => {
  it('uses the first k samples and reports the accuracy of the last one', () => {
    const points = curve(tasks, 'sequential', [1, 2, 4]);
    expect(points.map(({ last }) => last?.mean)).toEqual([0, 0.5, 0.5]);
    // One wrong sample per task; with two and with four samples, one tie and one wrong majority.
    expect(points.map(({ majority }) => majority.mean)).toEqual([0, 0.25, 0.25]);
    expect(points.map(({ pass }) => pass.mean)).toEqual([0, 0.5, 1]);
    expect(points.map(({ tokens }) => tokens)).toEqual([9, 20, 40]);
  });

  it('rejects counts above the number of samples', () => {
    expect(() => curve(tasks, 'sequential', [5])).toThrow(RangeError);
    expect(() => curve(tasks, 'parallel', [5])).toThrow(RangeError);
  });
});

describe('interpolating a curve by tokens', () => {
  const points = [
    { tokens: 10, value: 0.4 },
    { tokens: 40, value: 0.6 },
  ];

  it('is linear in the logarithm of tokens', () => {
    expect(atTokens(points, 10)).toBe(0.4);
    expect(atTokens(points, 20)).toBeCloseTo(0.5, 12);
    expect(atTokens(points, 40)).toBe(0.6);
  });

  it('returns null outside the range', () => {
    expect(atTokens(points, 9)).toBeNull();
    expect(atTokens(points, 41)).toBeNull();
    expect(atTokens([], 1)).toBeNull();
  });
});
