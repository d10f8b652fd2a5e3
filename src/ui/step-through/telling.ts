/** What of an iteration makes a good example: an episode that shows something, and words that are actions. */

import type { EpisodeRecord, EpisodeTurn } from '../../runs/episode.ts';
import type { LossToken } from '../../runs/phase-facts.ts';

/** A token by its text and its turn. */
interface Written {
  readonly text: string;
  readonly turn: number;
}

/** Tokens such as `<pad>`, which stand for no word. */
const isSpecial = (text: string) => /^<[^>]*>$/.test(text.trim());

/** Whether a token is a word of the action that its turn came to, and the environment understood it. */
function isAction({ text }: Written, turn: EpisodeTurn | undefined): boolean {
  const word = text.trim();
  return turn?.understood === true && word !== '' && turn.action.includes(word);
}

/** The longest success, counted in actions that were understood; of failures alone the longest of those. */
export function tellingMember(records: readonly EpisodeRecord[]): number {
  const won = records.some(({ success }) => success);
  return mostBy(records, ({ success, turns }) =>
    won && !success ? -1 : turns.filter(({ understood }) => understood).length,
  );
}

/**
 * The action that the advantages say most of; where the episode has none, a word that is no special token.
 *
 * @param advantages (T) of its tokens; empty where nothing is learned from it
 */
export function tellingToken(
  { turns }: EpisodeRecord,
  tokens: readonly Written[],
  advantages: readonly number[],
): number {
  return mostBy(tokens, (token, place) => {
    if (isSpecial(token.text)) return -2;
    return isAction(token, turns[token.turn]) ? Math.abs(advantages[place] ?? 0) : -1;
  });
}

/** An action that was held back tells most, then the one with the greatest advantage. */
export function tellingLoss(shown: readonly LossToken[]): number {
  return mostBy(shown, ({ text, understood, advantage, update }) => {
    if (isSpecial(text)) return -2;
    if (!understood) return -1;
    return update.held === null ? Math.abs(advantage) : Number.POSITIVE_INFINITY;
  });
}

/** The first place with the greatest number; 0 of an empty list. */
function mostBy<Item>(list: readonly Item[], number: (item: Item, place: number) => number) {
  const numbers = list.map(number);
  return Math.max(0, numbers.indexOf(Math.max(...numbers)));
}
