/** Random tasks and numbers for critique dialogues. */
import type { Criticizable } from '../../agents/modes/prompts.ts';
import { MixedDeck, type TaskPile } from '../play/deck.ts';
import type { RandomStream } from '../random.ts';

/** A random number in [0, 1). */
export function chance(stream: RandomStream): number {
  return stream.below(2 ** 30) / 2 ** 30;
}

/** One pile of tasks per level, all with the same share. */
export function pilesByLevel(
  { criticism }: Criticizable,
  tasks: readonly string[],
): readonly TaskPile[] {
  return Array.from({ length: criticism.levels }, (_, i) => ({
    tasks: tasks.filter((task) => criticism.level(task) === i + 1),
    share: 1,
  })).filter((pile) => pile.tasks.length > 0);
}

/** Deals tasks of all levels equally often. */
export function deckByLevel(
  environment: Criticizable,
  tasks: readonly string[],
  stream: RandomStream,
): MixedDeck {
  return new MixedDeck(pilesByLevel(environment, tasks), stream);
}
