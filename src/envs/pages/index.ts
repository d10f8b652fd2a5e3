import type { EnvironmentFamily } from '../types.ts';
import { webarenaCard, webshopCard } from './cards.ts';
import { createPages } from './core/environment.ts';
import type { PagesState } from './core/episode.ts';
import { rungsOf } from './kits.ts';
import { webarena } from './webarena/kit.ts';
import { webshop } from './webshop/kit.ts';

export const families: readonly EnvironmentFamily<PagesState>[] = [
  { ...webshopCard, create: (options) => createPages(webshop, rungsOf(webshopCard.id, options)) },
  {
    ...webarenaCard,
    create: (options) => createPages(webarena, rungsOf(webarenaCard.id, options)),
  },
];
