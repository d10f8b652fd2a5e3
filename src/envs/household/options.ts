import type { EnvironmentOption } from '../types.ts';
import { RUNGS } from './core/kit.ts';

export const alfworldId = 'household/alfworld-v1';
export const sciworldId = 'household/sciworld-v1';

const choices = [...RUNGS, 'all'] as const;

export const alfworldOptions = {
  rung: {
    type: 'choice',
    description:
      'Difficulty of the tasks. one: a room of four open pieces of furniture, and a thing to move. two: eight of them, half of them closed. three: the thing has to be cleaned, heated or cooled first. four: twelve to twenty, and two things, or a thing to look at under a lamp. all: the four in turn.',
    default: 'all',
    choices,
  },
  actions: {
    type: 'choice',
    description:
      'Whether every observation ends with a list of the available actions, as the original’s prompt promises.',
    default: 'hidden',
    choices: ['hidden', 'listed'],
  },
} as const satisfies Record<string, EnvironmentOption>;

export const sciworldOptions = {
  rung: {
    type: 'choice',
    description:
      'Difficulty of the tasks. one: a thing to find and a box in one room. two: things to find and life spans to compare in four rooms with open doors. three: the same in ten rooms with closed doors. four: a laboratory with devices to boil, melt and freeze, to measure, and to mix paints. all: the four in turn.',
    default: 'all',
    choices,
  },
  failure: {
    type: 'choice',
    description:
      'Effect of a failure, such as focusing on the wrong thing, in addition to ending the task: keep the score, or lose it.',
    default: 'keeps',
    choices: ['keeps', 'forfeits'],
  },
} as const satisfies Record<string, EnvironmentOption>;
