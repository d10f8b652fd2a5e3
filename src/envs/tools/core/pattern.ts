/** Sentences with placeholders for values, such as `Delete the task {task}.` */

import { type Json, print, type Scalar } from './json.ts';

const PLACE = /\{([a-z0-9_]+)\}/;
const MARKS = '.,:;!?';

/** Values by placeholder. */
export type Fillings = Readonly<Record<string, Scalar>>;

/**
 * Fills in the values as they appear in calls and replies, with texts in quotes, so that a name is the same
 * lexeme everywhere.
 * Throws a RangeError for a placeholder without a value.
 */
export function fill(pattern: string, fillings: Readonly<Record<string, Json>>): string {
  return pattern
    .split(PLACE)
    .map((piece, i) => {
      if (i % 2 === 0) return piece;
      const value = fillings[piece];
      if (value === undefined) throw new RangeError(`no value for {${piece}} in ${pattern}`);
      return print(value);
    })
    .join('');
}

/** The fixed phrases of a sentence, each a lexeme; punctuation after a value is a separate one. */
export function phrasesOf(pattern: string): readonly string[] {
  return pattern
    .split(PLACE)
    .filter((_, i) => i % 2 === 0)
    .flatMap((piece, i) =>
      i > 0 && MARKS.includes(piece.charAt(0)) ? [piece.charAt(0), piece.slice(1)] : [piece],
    )
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '');
}
