import type { EnvironmentFamily } from '../types.ts';
import { webshopCard } from './cards.ts';
import { createPages } from './core/environment.ts';
import type { PagesState } from './core/episode.ts';
import { rungsOf } from './kits.ts';
import { webshop } from './webshop/kit.ts';

export const families: readonly EnvironmentFamily<PagesState>[] = [
  { ...webshopCard, create: (options) => createPages(webshop, rungsOf(webshopCard.id, options)) },
];
