/** Sentences with places for values, such as `Delete the task {task}.` */

import { type Json, print, type Scalar } from './json.ts';

const PLACE = /\{([a-z0-9_]+)\}/;
const MARKS = '.,:;!?';

/** Values by the names of their places. */
export type Fillings = Readonly<Record<string, Scalar>>;

/**
 * The sentence with its values, written as in calls and replies, texts in quotes: a name is the same
 * lexeme wherever it stands.
 *
 * Throws a RangeError for a place without a value.
 */
export function fill(pattern: string, fillings: Readonly<Record<string, Json>>): string {
  return pattern
    .split(PLACE)
    .map((piece, i) => {
      if (i % 2 === 0) return piece;
      const value = fillings[piece];
      if (value === undefined) throw new RangeError(`nothing stands for {${piece}} in ${pattern}`);
      return print(value);
    })
    .join('');
}

/** The fixed phrases of a sentence, each a lexeme; a mark that follows a value is one of its own. */
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
