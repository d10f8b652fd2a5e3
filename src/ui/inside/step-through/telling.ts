/**
 * Selects good examples from an iteration: an informative episode, and tokens that are part of an
 * action.
 */

import type { EpisodeRecord, EpisodeTurn } from '../../../runs/episode.ts';
import type { LossToken } from '../../../runs/phase-facts.ts';

/** A token's text and turn. */
interface Written {
  readonly text: string;
  readonly turn: number;
}

/** Tokens such as `<pad>` that do not stand for a word. */
const isSpecial = (text: string) => /^<[^>]*>$/.test(text.trim());

/** Whether a token belongs to a valid action. */
function isAction({ text }: Written, turn: EpisodeTurn | undefined): boolean {
  const word = text.trim();
  return turn?.understood === true && word !== '' && turn.action.includes(word);
}

/** Index of the success with the most valid actions; without a success, of the failure with the most. */
export function tellingMember(records: readonly EpisodeRecord[]): number {
  const won = records.some(({ success }) => success);
  return mostBy(records, ({ success, turns }) =>
    won && !success ? -1 : turns.filter(({ understood }) => understood).length,
  );
}

/**
 * Index of the least probable token of a valid action; without valid actions, of the first token that is
 * not special. Depends only on the rollout, so that the choice stays the same in later phases.
 *
 * @param tokens (T) with their log-probability when they were generated, in nats
 */
export function tellingToken(
  { turns }: EpisodeRecord,
  tokens: readonly (Written & { readonly logp: number })[],
): number {
  return mostBy(tokens, (token) => {
    if (isSpecial(token.text)) return -2;
    return isAction(token, turns[token.turn]) ? -token.logp : -1;
  });
}

/** Index of the first clipped token of a valid action, else of the one with the largest |advantage|. */
export function tellingLoss(shown: readonly LossToken[]): number {
  return mostBy(shown, ({ text, understood, advantage, update }) => {
    if (isSpecial(text)) return -2;
    if (!understood) return -1;
    return update.held === null ? Math.abs(advantage) : Number.POSITIVE_INFINITY;
  });
}

/** The first index of the maximum; 0 for an empty list. */
function mostBy<Item>(list: readonly Item[], number: (item: Item, place: number) => number) {
  const numbers = list.map(number);
  return Math.max(0, numbers.indexOf(Math.max(...numbers)));
}
