import type { EnvironmentOption } from '../types.ts';
import { RUNGS } from './core/kit.ts';

export const webshopId = 'pages/webshop-v1';
export const webarenaId = 'pages/webarena-v1';

const rungs = (description: string) =>
  ({ type: 'choice', description, default: 'all', choices: [...RUNGS, 'all'] }) as const;

export const webshopOptions = {
  rung: rungs(
    'Difficulty of the goals. one: the product is open; color and size have to be chosen. two: the products of its kind have been found; one has to be chosen by its properties, price and color. three: the agent searches. four: titles omit properties, so the features of products have to be read. all: the four in turn.',
  ),
} as const satisfies Record<string, EnvironmentOption>;

export const webarenaOptions = {
  rung: rungs(
    'Difficulty of the objectives. one: the open page has the answer. two: a link or a search leads there. three: a form has to be filled or a button pressed. four: two sites in two tabs. all: the four in turn.',
  ),
} as const satisfies Record<string, EnvironmentOption>;
