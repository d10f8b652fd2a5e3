import { RUNGS } from '../tools/core/kit.ts';
import type { EnvironmentOption } from '../types.ts';

export const birdId = 'bird/bird-v1';

export const birdOptions = {
  rung: {
    type: 'choice',
    description:
      'Difficulty of the questions. one: one table and one condition. two: counts, sums, two conditions, the first in an order. three: joins of two tables. four: groups and nested queries. all: the four in turn.',
    default: 'all',
    choices: [...RUNGS, 'all'],
  },
  turns: {
    type: 'number',
    description:
      'Statements per episode. 1: the first one counts. More: rows and errors are shown, and the last statement before “submit” counts.',
    default: 1,
    min: 1,
    max: 5,
    step: 1,
  },
} as const satisfies Record<string, EnvironmentOption>;
