import { describe, expect, it } from 'vitest';
import { pick } from './run.ts';

describe('pick', () => {
  const episode = (id: number, success: boolean) => ({ id, success });

  it('takes the first and the first that ended the other way', () => {
    const episodes = [episode(0, false), episode(1, false), episode(2, true), episode(3, true)];
    expect(pick(episodes).map(({ id }) => id)).toEqual([0, 2]);
    expect(pick(episodes.slice(2)).map(({ id }) => id)).toEqual([2]);
    expect(pick(episodes, episodes.length + 1).map(({ id }) => id)).toEqual([1, 2]);
    expect(pick([])).toEqual([]);
    expect(pick([], 3)).toEqual([]);
  });
});
