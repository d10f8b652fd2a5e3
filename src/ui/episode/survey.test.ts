import { expect, it } from 'vitest';
import type { Reenactment } from './reenact.ts';
import { surveyOf } from './survey.ts';

const episode = (
  steps: readonly (readonly [place: string, action: string])[],
  success: boolean,
): Reenactment => ({
  record: {
    environment: { id: 'maze/double-t-v1', options: {} },
    taskId: 'maze_0',
    turns: steps.map(([observation, action]) => ({
      observation,
      thought: '',
      tokens: [],
      action,
      understood: true,
      reward: 0,
    })),
    finalObservation: '',
    success,
    truncated: !success,
    score: success ? 1 : 0,
  },
  states: [...steps.map(([place]) => place), 'end'],
});

it('counts at every place what is done there most often, and what comes of being there', () => {
  const episodes = [
    episode(
      [
        ['a', 'up'],
        ['a', 'up'],
        ['b', 'left'],
      ],
      true,
    ),
    episode(
      [
        ['a', 'down'],
        ['b', 'left'],
      ],
      false,
    ),
  ];
  expect([...surveyOf(episodes, String)]).toEqual([
    ['a', { visits: 3, action: 'up', share: 2 / 3, success: 2 / 3 }],
    ['b', { visits: 2, action: 'left', share: 1, success: 1 / 2 }],
  ]);
  expect(surveyOf([], String).size).toBe(0);
});
