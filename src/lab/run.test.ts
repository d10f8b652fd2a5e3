import { describe, expect, it } from 'vitest';
import { configAt } from '../config/changes.ts';
import { parseConfig } from '../config/check.ts';
import type { ConfigInput } from '../config/schema.ts';
import { checkStored, pickEpisodes } from './run.ts';

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

describe('a change during a run', () => {
  it.each([
    [{ replay: { share: 0.5 } }, '5:algorithm.kl_coef=0.1', 'algorithm.kl_coef: cannot be turned'],
    [
      { replay: { share: 0.5 }, algorithm: { kl_coef: 0.1 } },
      '5:algorithm.kl_coef=0',
      'algorithm.kl_coef: cannot be turned on or off',
    ],
    [{ replay: { share: 0.5 } }, '5:horizon.turns=29', 'horizon.turns: cannot fall below 30'],
    [{ rollout: { partial_turns: 5 } }, '5:horizon.turns=29', 'horizon.turns: cannot fall below'],
    [
      { rollout: { partial_tokens: 5 }, horizon: { schedule: 'scaling_inter', rounds: [4, 8] } },
      '5:horizon.schedule=fixed, 5:horizon.turns=7',
      'horizon.turns: cannot fall below 8',
    ],
    [{ replay: { share: 0.5 }, algorithm: { kl_coef: 0.1 } }, '5:algorithm.kl_coef=0.2', null],
    [{ replay: { share: 0.5 } }, '5:horizon.turns=40', null],
    [{}, '5:algorithm.kl_coef=0.2, 5:horizon.turns=10', null],
  ] satisfies [ConfigInput, string, string | null][])(
    'checks whether stored episodes fit a change during the run: %j, %s',
    (settings, changes, message) => {
      const config = parseConfig({ ...settings, changes });
      const check = () => checkStored(configAt(config, 4), configAt(config, 5));
      if (message === null) expect(check).not.toThrow();
      else expect(check).toThrow(message);
    },
  );
});
