import { expect, it } from 'vitest';
import { presetConfig } from '../config/presets.ts';
import type { Config } from '../config/schema.ts';
import { expectedIterations } from './run-length.ts';
import { row } from './testing/rows.ts';

const maze = presetConfig('maze');
const rows = Array.from({ length: 20 }, (_, place) =>
  row(place + 1, {
    // Episodes become shorter.
    'progress/turns': place < 8 ? 500 * (place + 1) : 4000 + 100 * (place - 7),
    'progress/tokens': 1000 * (place + 1),
  }),
);
const total = (stopping: Partial<Config['stopping']>, some = rows) =>
  expectedIterations({ ...maze, stopping: { ...maze.stopping, ...stopping } }, some);

it('ends a run at the first of its limits, at the current pace', () => {
  expect(total({ iterations: 50 })).toBe(50);
  expect(total({ iterations: 100_000, turns: 6000 })).toBe(28);
  expect(total({ iterations: 100_000, tokens: 30_500 })).toBe(31);
  expect(total({ iterations: 100_000, turns: 6000, tokens: 30_500 })).toBe(28);
  expect(total({ iterations: 25, turns: 6000 })).toBe(25);
  expect(total({ iterations: 100_000, turns: 1000 })).toBe(20);
});

it('assumes the longest episodes before the first iteration', () => {
  const { tasks_per_iteration, group_size } = maze.rollout;
  const perIteration = tasks_per_iteration * group_size * (maze.horizon.rounds[0] ?? 0);
  expect(total({ iterations: 100_000, turns: 7 * perIteration }, [])).toBe(7);
  expect(total({ iterations: 5, turns: 7 * perIteration }, [])).toBe(5);
});
