import { describe, expect, it } from 'vitest';
import { favorites, majority, majorityAtK, type Vote } from './majority.ts';

const never = () => {
  throw new Error('there is no tie');
};

describe('a majority vote', () => {
  it('returns the most frequent answer, for any order of votes', () => {
    expect(majority(['3', '7', '7'], never)).toBe('7');
    expect(majority([null, null, '4'], never)).toBe('4');
    expect(majority([null, null], never)).toBeNull();
    expect(majority([], never)).toBeNull();
  });

  it('breaks ties uniformly at random', () => {
    expect(favorites(['3', '7', null, '7', '3', '1'])).toEqual(['3', '7']);
    const asked: number[] = [];
    const pick = (place: number) => (n: number) => {
      asked.push(n);
      return place;
    };
    expect(majority(['3', '7', '7', '3'], pick(0))).toBe('3');
    expect(majority(['3', '7', '7', '3'], pick(1))).toBe('7');
    expect(asked).toEqual([2, 2]);
  });
});

describe('MV@k', () => {
  const right: Vote = { answer: '5', right: true };
  const wrong = (answer: string | null): Vote => ({ answer, right: false });

  it('counts a tie by the probability that breaking it gives the correct answer', () => {
    expect(majorityAtK([right], 1)).toBe(1);
    // One vote each: the tie is broken correctly half of the time, for any order of votes.
    expect(majorityAtK([right, wrong('2')], 2)).toBe(0.5);
    expect(majorityAtK([wrong('2'), right], 2)).toBe(0.5);
    expect(majorityAtK([right, wrong('2'), wrong('3')], 3)).toBeCloseTo(1 / 3, 12);
    expect(majorityAtK([right, wrong('2'), wrong('2')], 3)).toBe(0);
    expect(majorityAtK([right, wrong(null), wrong(null)], 3)).toBe(1);
    expect(majorityAtK([wrong(null)], 1)).toBe(0);
  });

  it('is the mean over all subsets of k samples', () => {
    const votes = [right, right, wrong('2'), wrong('2'), wrong('3'), wrong(null), right];
    for (let k = 1; k <= votes.length; k++) {
      const each = choices(votes, k).map((own) => {
        const tied = favorites(own.map(({ answer }) => answer));
        return tied.includes('5') ? 1 / tied.length : 0;
      });
      const mean = each.reduce((sum, p) => sum + p, 0) / each.length;
      expect(majorityAtK(votes, k)).toBeCloseTo(mean, 12);
    }
    expect(() => majorityAtK(votes, 8)).toThrow(/as many samples/);
  });

  it('is exact for hundreds of samples', () => {
    // Two answers and an odd k: the correct one wins in half of the cases.
    const votes = Array.from({ length: 512 }, (_, i) => (i % 2 === 0 ? right : wrong('2')));
    expect(majorityAtK(votes, 255)).toBeCloseTo(0.5, 9);
    expect(majorityAtK(votes, 512)).toBe(0.5);
    expect(majorityAtK([...votes, right], 513)).toBe(1);
  });
});

/** Every combination of k items. */
function choices<T>(list: readonly T[], count: number): T[][] {
  if (count === 0) return [[]];
  return list.flatMap((item, i) =>
    choices(list.slice(i + 1), count - 1).map((rest) => [item, ...rest]),
  );
}
