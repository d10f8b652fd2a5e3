import type { EnvironmentFamily } from '../types.ts';
import { toolsCards } from './cards.ts';
import { createTools } from './core/environment.ts';
import type { ToolsState } from './core/episode.ts';
import { kits, rungsOf } from './kits.ts';

export const families: readonly EnvironmentFamily<ToolsState>[] = toolsCards.flatMap((card) =>
  kits
    .filter(({ id }) => id === card.id)
    .map((kit) => ({ ...card, create: (options) => createTools(kit, rungsOf(card.id, options)) })),
);
