import { RUNGS } from '../tools/core/kit.ts';
import type { EnvironmentOption } from '../types.ts';

export const birdId = 'bird/bird-v1';

export const birdOptions = {
  rung: {
    type: 'choice',
    description:
      'How hard the questions are. one: one table and one condition. two: counts, sums, two conditions, the first in an order. three: two tables that have to be joined. four: groups and queries within queries. all: the four in turn.',
    default: 'all',
    choices: [...RUNGS, 'all'],
  },
  turns: {
    type: 'number',
    description:
      'Statements that an episode may have. 1: the first one counts. More: rows and errors are shown, and the last statement counts, which is the one before “submit”.',
    default: 1,
    min: 1,
    max: 5,
    step: 1,
  },
} as const satisfies Record<string, EnvironmentOption>;
