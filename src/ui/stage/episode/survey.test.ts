import { expect, it } from 'vitest';
import type { TogetherView } from '../../../envs/views.ts';
import type { Reenactment } from '../../../runs/reenact.ts';
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

const byState: TogetherView['placedActions'] = ({ before, action }) => [
  { place: String(before), action },
];

it('counts actions per position, most frequent first, with success rates', () => {
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
  expect([...surveyOf(episodes, byState)]).toEqual([
    [
      'a',
      {
        visits: 3,
        success: 2 / 3,
        actions: [
          { action: 'up', times: 2, success: 1 },
          { action: 'down', times: 1, success: 0 },
        ],
      },
    ],
    ['b', { visits: 2, success: 1 / 2, actions: [{ action: 'left', times: 2, success: 1 / 2 }] }],
  ]);
  expect(surveyOf([], byState).size).toBe(0);
});

it('passes the states before and after a turn to a callback that may return several actions or none', () => {
  const calls: unknown[] = [];
  const survey = surveyOf([episode([['a', 'up']], true)], ({ before, action, after, ...of }) => {
    calls.push([of.environmentId, before, action, after]);
    return [
      { place: 'one', action },
      { place: 'two', action: 'other' },
    ];
  });
  expect(calls).toEqual([['maze/double-t-v1', 'a', 'up', 'end']]);
  expect([...survey.keys()]).toEqual(['one', 'two']);
  expect(surveyOf([episode([['a', 'up']], true)], () => []).size).toBe(0);
});
