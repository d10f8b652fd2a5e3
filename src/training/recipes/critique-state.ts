import { z } from 'zod';
import type { Environment } from '../../envs/types.ts';
import { checkDeck, deckSchema } from '../deck-state.ts';
import type { MixedDeckState } from '../play/deck.ts';
import { parseState } from '../state.ts';

const schema = z.strictObject({ deck: deckSchema });

/**
 * Reads a state that was kept.
 *
 * @throws {CheckpointError} for anything that no run of this environment has written.
 */
export function unpackCritique(data: unknown, environment: Environment): { deck: MixedDeckState } {
  const state = parseState(schema, data);
  checkDeck(state.deck, environment);
  return state;
}
