import type { EnvironmentOption } from '../types.ts';
import { RUNGS } from './core/kit.ts';

export const webshopId = 'pages/webshop-v1';
export const webarenaId = 'pages/webarena-v1';

const rungs = (description: string) =>
  ({ type: 'choice', description, default: 'all', choices: [...RUNGS, 'all'] }) as const;

export const webshopOptions = {
  rung: rungs(
    'How hard the goals are. one: the product is open, and its colour and size have to be chosen. two: the products of its kind have been found, and one has to be chosen by its properties, its price and its colour. three: the agent searches by itself. four: titles tell nothing, so that the features of products have to be looked up. all: the four in turn.',
  ),
} as const satisfies Record<string, EnvironmentOption>;

export const webarenaOptions = {
  rung: rungs(
    'How hard the objectives are. one: what is asked for stands on the open page. two: a link or a search leads there. three: a form has to be filled or a button pressed. four: two sites in two tabs. all: the four in turn.',
  ),
} as const satisfies Record<string, EnvironmentOption>;
