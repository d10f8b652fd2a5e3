/** A turn's tokens as a dialogue shows them: the thought apart from the action. */

import type { EpisodeToken } from '../../runs/episode.ts';

export interface WrittenTokens {
  /** Empty where the agent wrote its action alone. */
  readonly thought: readonly EpisodeToken[];
  readonly action: readonly EpisodeToken[];
}

const THOUGHT = 'Thought:';
const ACTION = 'Action:';

/** Cuts tokens where the action begins, without the words that mark the parts. */
export function partTokens(tokens: readonly EpisodeToken[]): WrittenTokens {
  const mark = tokens.findLastIndex(({ text }) => text === ACTION);
  if (mark === -1) return { thought: [], action: tokens };
  const thought = tokens.slice(tokens[0]?.text === THOUGHT ? 1 : 0, mark);
  return { thought, action: tokens.slice(mark + 1) };
}

/** Whether a token follows the one before without a space. */
export function isGlued(token: EpisodeToken, before: EpisodeToken | undefined): boolean {
  if (before === undefined) return true;
  return /^([.,:;!?)\]}]|<\/[a-z_]+>)$/.test(token.text) || /^([([{]|<[a-z_]+>)$/.test(before.text);
}

/** The start of a long text up to a space, or null where the text is short enough to be shown. */
export function startOf(text: string, most: number): string | null {
  // A little more than the most is not worth a button.
  if (text.length <= 1.25 * most) return null;
  const space = text.lastIndexOf(' ', most);
  return text.slice(0, space > 0.6 * most ? space : most).trimEnd();
}
