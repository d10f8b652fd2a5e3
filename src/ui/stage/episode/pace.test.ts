import { describe, expect, it } from 'vitest';
import { nothingMoves, taskOf } from './pace.ts';

const film = (observations: readonly string[], finalObservation: string) => ({
  turns: observations.map((observation) => ({
    observation,
    thought: '',
    action: 'move up',
    understood: true,
    reward: 0,
    tokens: [],
  })),
  finalObservation,
});

describe('taskOf', () => {
  it.each([1, 7, 10, 14])('reaches each of %i tasks', (count) => {
    const tasks = Array.from({ length: count }, (_, i) => `task_${i}`);
    expect(new Set(tasks.map((_, round) => taskOf(tasks, round, 3)))).toEqual(new Set(tasks));
  });
});

describe('nothingMoves', () => {
  it('is true from the turn after which all observations are equal', () => {
    const stuck = film(['a', 'b', 'b', 'b'], 'b');
    expect([0, 1, 2, 3].map((turn) => nothingMoves(stuck, turn))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  it('is false if the end differs or the observations change again', () => {
    expect(nothingMoves(film(['a', 'a'], 'Success'), 0)).toBe(false);
    expect(nothingMoves(film(['a', 'b', 'a'], 'a'), 0)).toBe(false);
  });
});
