import { describe, expect, it } from 'vitest';
import { pickEpisodes } from './run.ts';

describe('pickEpisodes', () => {
  const episode = (id: number, success: boolean) => ({ id, success });

  it('returns the first episode, and the next with the opposite outcome', () => {
    const episodes = [episode(0, false), episode(1, false), episode(2, true), episode(3, true)];
    expect(pickEpisodes(episodes).map(({ id }) => id)).toEqual([0, 2]);
    expect(pickEpisodes(episodes.slice(2)).map(({ id }) => id)).toEqual([2]);
    expect(pickEpisodes(episodes, episodes.length + 1).map(({ id }) => id)).toEqual([1, 2]);
    expect(pickEpisodes([])).toEqual([]);
    expect(pickEpisodes([], 3)).toEqual([]);
  });
});
