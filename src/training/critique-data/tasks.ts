/** Tasks and chances that dialogues of critiques are made of. */
import type { Criticisable } from '../../agents/modes/prompts.ts';
import { MixedDeck } from '../play/deck.ts';
import type { RandomStream } from '../random.ts';

/** From 0 up to 1. */
export function chance(stream: RandomStream): number {
  return stream.below(2 ** 30) / 2 ** 30;
}

/** Deals tasks of all levels alike. */
export function deckByLevel(
  { criticism }: Criticisable,
  tasks: readonly string[],
  stream: RandomStream,
): MixedDeck {
  const piles = Array.from({ length: criticism.levels }, (_, i) => ({
    tasks: tasks.filter((task) => criticism.level(task) === i + 1),
    share: 1,
  }));
  return new MixedDeck(
    piles.filter((pile) => pile.tasks.length > 0),
    stream,
  );
}
