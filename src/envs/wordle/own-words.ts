/** Names of the lists, and lists supplied by users. */

export const WORD_LISTS = ['small', 'medium', 'large'] as const;
export type WordList = (typeof WORD_LISTS)[number];

/** Enough for a hidden word with three openings, and for a holdout. */
const FEWEST_WORDS = 8;
/** The feedback of every pair of words is kept in memory: 2500 words take 6 MB. */
const MOST_WORDS = 2500;

/** The words of a user's list in order, in lower case, without duplicates. */
export function readWords(text: string): readonly string[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  return [...new Set(words.map((word) => word.toLowerCase()))];
}

/** Why a user's list is invalid, as the end of a sentence; null if it is valid. */
export function wordsFault(text: string): string | null {
  for (const [i, line] of text.split(/\r\n|\r|\n/).entries()) {
    for (const word of line.split(/[\s,]+/)) {
      if (word === '' || /^[a-zA-Z]{5}$/.test(word)) continue;
      const shown = word.length > 20 ? `${word.slice(0, 20)}…` : word;
      return `must be words of five letters from a to z, but line ${i + 1} has "${shown}"`;
    }
  }
  const count = readWords(text).length;
  if (count >= FEWEST_WORDS && count <= MOST_WORDS) return null;
  return `must have from ${FEWEST_WORDS} to ${MOST_WORDS} different words, but has ${count}`;
}
