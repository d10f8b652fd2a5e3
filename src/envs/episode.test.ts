import { describe, expect, it } from 'vitest';
import { corridor } from '../agents/testing/corridor.ts';
import { act, begin, EnvironmentFault, expertOf, play, replay, solved } from './episode.ts';
import type { Environment } from './types.ts';

const environment = corridor() as Environment;
const expert = expertOf(environment);

describe('an episode', () => {
  it('is played turn by turn, with each turn starting where the last one ended', () => {
    const start = begin(environment, 'corridor_1');
    const turns = [...play(environment, start, expert)];
    expect(turns.map(({ before }) => before.observation)).toEqual(['cell 1', 'cell 2', 'cell 3']);
    for (const [i, { before, choice, after }] of turns.entries()) {
      expect(before).toBe(i === 0 ? start : turns[i - 1]?.after);
      expect(after).toMatchObject({ action: choice.action, task: 'corridor_1', understood: true });
      expect(solved(environment, after)).toBe(i === 2);
    }
    expect(turns.at(-1)?.after).toMatchObject({ terminated: true, reward: 1 });
  });

  it('has at most the given number of turns, and none after its end', () => {
    const start = begin(environment, 'corridor_0');
    const [first, second, third] = [...play(environment, start, expert, 2)];
    expect([first?.after.terminated, second?.after.terminated, third]).toEqual([
      false,
      false,
      undefined,
    ]);
    const end = [...play(environment, start, expert)].at(-1)?.after ?? start;
    expect([...play(environment, end, expert)]).toEqual([]);
  });

  it('continues from any point, and reaches the same states when its actions are replayed', () => {
    const start = begin(environment, 'corridor_0');
    const whole = [...play(environment, start, expert)];
    const middle = whole[1]?.after ?? start;
    expect([...play(environment, middle, expert)]).toEqual(whole.slice(2));
    const recorded = whole.map(({ choice }, turn) => ({ action: choice.action, turn }));
    const again = [...replay(environment, start, recorded)];
    expect(again.map(({ after }) => after)).toEqual(whole.map(({ after }) => after));
    expect(again.map(({ choice }) => choice.turn)).toEqual([0, 1, 2, 3]);
  });

  it('reports every environment error with its task and action', () => {
    expect(() => begin(environment, 'cave_1')).toThrow(EnvironmentFault);
    const start = begin(environment, 'corridor_2');
    expect(start.action).toBeNull();
    const boom = () => act(environment, start, 'boom');
    expect(boom).toThrow(/failed on task corridor_2 at action "boom"/);
    const moved = act(environment, start, 'right');
    const silent = {
      ...environment,
      success: () => {
        throw new Error('no idea');
      },
    };
    expect(() => solved(silent, moved)).toThrow(/at action "right": Error: no idea/);
    const lost = () => {
      throw new Error('no way');
    };
    expect(() => [...play(environment, moved, lost)]).toThrow(/at action "right": Error: no way/);
  });
});
