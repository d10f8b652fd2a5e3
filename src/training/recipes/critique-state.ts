import { z } from 'zod';
import type { Criticisable } from '../../agents/modes/prompts.ts';
import { pilesByLevel } from '../critique-data/tasks.ts';
import { checkDeck, deckSchema } from '../deck-state.ts';
import type { MixedDeckState } from '../play/deck.ts';
import { parseState } from '../state.ts';

const schema = z.strictObject({ deck: deckSchema });

/**
 * Reads a state that was kept.
 *
 * @param tasks those that its deck deals
 * @throws {CheckpointError} for anything that no run of this environment has written.
 */
export function unpackCritique(
  data: unknown,
  environment: Criticisable,
  tasks: readonly string[],
): { deck: MixedDeckState } {
  const state = parseState(schema, data);
  checkDeck(state.deck, pilesByLevel(environment, tasks));
  return state;
}
