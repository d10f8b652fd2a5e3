/** Saved state of the task deck. */
import { z } from 'zod';
import { runLimits } from '../files/limits.ts';
import { list } from '../files/schema.ts';
import type { MixedDeckState, TaskPile } from './play/deck.ts';
import { fault } from './state.ts';

export const deckSchema = z.strictObject({
  owed: list(z.number(), { max: runLimits.environments }),
  cards: list(list(z.string(), { max: runLimits.tasks }), { max: runLimits.environments }),
});

/**
 * Checks a saved deck against the piles that it deals from.
 *
 * @throws {CheckpointError} if its tasks are not those of the piles
 */
export function checkDeck({ owed, cards }: MixedDeckState, piles: readonly TaskPile[]): void {
  if (owed.length !== piles.length || cards.length !== piles.length) {
    throw fault('its upcoming tasks do not belong to its environments');
  }
  for (const [i, { tasks }] of piles.entries()) {
    const known = new Set(tasks);
    const unknown = cards[i]?.find((task) => !known.has(task));
    if (unknown !== undefined) {
      throw fault(`its environment has no training task ${JSON.stringify(unknown.slice(0, 60))}`);
    }
  }
}
