import type { EnvironmentOption } from '../types.ts';
import { RUNGS } from './core/kit.ts';

export const webshopId = 'pages/webshop-v1';

export const webshopOptions = {
  rung: {
    type: 'choice',
    description:
      'How hard the goals are. one: the product is open, and its colour and size have to be chosen. two: the products of its kind have been found, and one has to be chosen by its properties, its price and its colour. three: the agent searches by itself. four: titles tell nothing, so that the features of products have to be looked up. all: the four in turn.',
    default: 'all',
    choices: [...RUNGS, 'all'],
  },
} as const satisfies Record<string, EnvironmentOption>;
