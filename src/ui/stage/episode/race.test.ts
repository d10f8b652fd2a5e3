import { beforeEach, describe, expect, it } from 'vitest';
import { useLab } from '../../shell/lab/store.ts';
import { countRace, pickRivals, resultOf, useTally } from './race.ts';

const played = (iteration: number, turns: number, success: boolean) => ({
  iteration,
  turns,
  success,
});

describe('pickRivals', () => {
  it('returns the newest episode and the one with the fewest turns', () => {
    const [first, quick, slow, lost] = [
      played(1, 9, true),
      played(2, 5, true),
      played(3, 7, true),
      played(4, 2, false),
    ];
    expect(pickRivals([first, quick, slow, lost])).toEqual({ newest: lost, best: quick });
    const again = played(5, 5, true);
    expect(pickRivals([quick, again]).best).toBe(again);
  });

  it('returns null if the agent has not played or not solved the task', () => {
    expect(pickRivals([])).toEqual({ newest: null, best: null });
    const lost = played(1, 9, false);
    expect(pickRivals([lost])).toEqual({ newest: lost, best: null });
  });
});

describe('outcome of a game', () => {
  const episode = (turns: number, success: boolean) =>
    ({ success, turns: Array.from({ length: turns }) }) as unknown as Parameters<
      typeof resultOf
    >[0];

  it('is decided by who solves the task, then by turns', () => {
    expect(resultOf(episode(9, true), episode(3, false))).toBe('you');
    expect(resultOf(episode(3, false), episode(9, true))).toBe('agent');
    expect(resultOf(episode(5, true), episode(7, true))).toBe('you');
    expect(resultOf(episode(7, true), episode(5, true))).toBe('agent');
    expect(resultOf(episode(5, true), episode(5, true))).toBe('even');
    expect(resultOf(episode(5, false), episode(9, false))).toBe('even');
  });

  beforeEach(() => useLab.setState({ runId: 'a' }));

  it('is counted per run', () => {
    countRace('you');
    countRace('you');
    countRace('agent');
    expect(useTally.getState().ended).toEqual({ you: 2, agent: 1, even: 0 });
    useLab.setState({ runId: 'b' });
    countRace('even');
    expect(useTally.getState()).toEqual({ runId: 'b', ended: { you: 0, agent: 0, even: 1 } });
  });
});
