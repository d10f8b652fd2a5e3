import { z } from 'zod';
import type { Criticizable } from '../../../agents/modes/prompts.ts';
import { pilesByLevel } from '../../critique-data/tasks.ts';
import { checkDeck, deckSchema } from '../../deck-state.ts';
import type { MixedDeckState } from '../../play/deck.ts';
import { parseState } from '../../state.ts';

const schema = z.strictObject({ deck: deckSchema });

/**
 * Parses a saved state.
 *
 * @param tasks the tasks that its deck deals
 * @throws {CheckpointError} if no run of this environment could have saved it
 */
export function unpackCritique(
  data: unknown,
  environment: Criticizable,
  tasks: readonly string[],
): { deck: MixedDeckState } {
  const state = parseState(schema, data);
  checkDeck(state.deck, pilesByLevel(environment, tasks));
  return state;
}
