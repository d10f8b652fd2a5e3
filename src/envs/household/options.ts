import type { EnvironmentOption } from '../types.ts';
import { RUNGS } from './core/kit.ts';

export const alfworldId = 'household/alfworld-v1';
export const sciworldId = 'household/sciworld-v1';

const choices = [...RUNGS, 'all'] as const;

export const alfworldOptions = {
  rung: {
    type: 'choice',
    description:
      'How hard the tasks are. one: a room of four open pieces of furniture, and a thing to put elsewhere. two: eight of them, half of which are shut. three: the thing has to be cleaned, heated or cooled first. four: twelve to twenty, and two things, or a thing to be looked at under a lamp. all: the four in turn.',
    default: 'all',
    choices,
  },
  actions: {
    type: 'choice',
    description:
      'Whether every observation ends with a list of the actions that are possible now, as the original’s prompt promises, or with none.',
    default: 'hidden',
    choices: ['hidden', 'listed'],
  },
} as const satisfies Record<string, EnvironmentOption>;

export const sciworldOptions = {
  rung: {
    type: 'choice',
    description:
      'How hard the tasks are. one: a thing to find and a box in one room. two: things to find and life spans to compare in four rooms with open doors. three: the same in ten rooms whose doors are shut. four: a laboratory with devices: to boil, melt and freeze, to measure, to mix paints. all: the four in turn.',
    default: 'all',
    choices,
  },
  failure: {
    type: 'choice',
    description:
      'What a failure, such as a focus on the wrong thing, does beside ending the task: it keeps what was scored, or takes it back.',
    default: 'keeps',
    choices: ['keeps', 'forfeits'],
  },
} as const satisfies Record<string, EnvironmentOption>;
