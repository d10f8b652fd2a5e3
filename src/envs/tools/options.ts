import type { EnvironmentOption } from '../types.ts';
import { RUNGS } from './core/kit.ts';

export const todoId = 'tools/todo-v1';
export const weatherId = 'tools/weather-v1';
export const movieId = 'tools/movie-v1';
export const academiaId = 'tools/academia-v1';
export const sheetId = 'tools/sheet-v1';

export const toolsOptions = {
  rung: {
    type: 'choice',
    description:
      'Difficulty of the goals. one: one call, whose argument the goal gives. two: a chain of calls, each using the result of the one before. three: compare, count or add up results. four: several things to do or to find, and an answer. all: the four in turn.',
    default: 'all',
    choices: [...RUNGS, 'all'],
  },
} as const satisfies Record<string, EnvironmentOption>;
