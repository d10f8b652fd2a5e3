/** A turn's tokens for the dialogue, with thought and action separated. */

import type { EpisodeToken } from '../../../runs/episode.ts';

interface WrittenTokens {
  /** Empty if the agent wrote only an action. */
  readonly thought: readonly EpisodeToken[];
  readonly action: readonly EpisodeToken[];
}

const THOUGHT = 'Thought:';
const ACTION = 'Action:';

/** Splits tokens where the action begins, without the section labels. */
export function partTokens(tokens: readonly EpisodeToken[]): WrittenTokens {
  const mark = tokens.findLastIndex(({ text }) => text === ACTION);
  if (mark === -1) return { thought: [], action: tokens };
  const thought = tokens.slice(tokens[0]?.text === THOUGHT ? 1 : 0, mark);
  return { thought, action: tokens.slice(mark + 1) };
}

/** Whether a token attaches to the previous one without a space. */
export function isGlued(token: EpisodeToken, before: EpisodeToken | undefined): boolean {
  if (before === undefined) return true;
  return /^([.,:;!?)\]}]|<\/[a-z_]+>)$/.test(token.text) || /^([([{]|<[a-z_]+>)$/.test(before.text);
}

/** The start of a long text up to a space, or null if it is short enough to show in full. */
export function startOf(text: string, most: number): string | null {
  // Slightly longer texts do not justify a button.
  if (text.length <= 1.25 * most) return null;
  const space = text.lastIndexOf(' ', most);
  return text.slice(0, space > 0.6 * most ? space : most).trimEnd();
}
