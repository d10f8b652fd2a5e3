import { ALL_GREEN, GREEN, LETTERS, marksOf, patternTexts, YELLOW } from './feedback.ts';
import type { WordleSettings } from './options.ts';

export const INVALID_WORD = 'invalid word';

const WELCOME = 'You have six guesses at a hidden word of five letters.';
const WORDS = 'The words:';
const GUESS = 'guess:';
const FEEDBACK = 'feedback:';

/** A word with spaces between its letters: `shire` is `s h i r e`. */
export function spell(word: string): string {
  return [...word].join(' ');
}

/**
 * The first observation.
 * @param shown words to list, spelled; empty for no list
 * @param openings guesses already made, spelled, with the texts of their feedback
 */
export function welcome(
  shown: readonly string[],
  openings: readonly { readonly guess: string; readonly feedback: string }[],
): string {
  return [
    WELCOME,
    ...(shown.length === 0 ? [] : [`${WORDS} ${shown.join(', ')}.`]),
    ...openings.map(({ guess, feedback }) => `${GUESS} ${guess} ${FEEDBACK} ${feedback}`),
  ].join(' ');
}

/** Largest number named in thoughts; above it there are "many" words. */
const FEW = 9;
const ONE_LEFT = 'Only one word is left. It is';
const MANY_LEFT = 'Many words are left.';
const ONE_OF_THEM = 'One of them is';
const TELLS_APART = 'tells them apart.';
const fewLeft = (count: number): string => `${count} words are left.`;

/** The reason for a guess, with the number of words left. */
export function thoughtOf(guess: string, left: number, canBeRight: boolean): string {
  if (left === 1) return `${ONE_LEFT} ${guess}.`;
  const count = left <= FEW ? fewLeft(left) : MANY_LEFT;
  return canBeRight ? `${count} ${ONE_OF_THEM} ${guess}.` : `${count} ${guess} ${TELLS_APART}`;
}

const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz'];

/**
 * Whether a pattern cannot occur: with four greens, the fifth letter has no other position where it could
 * belong. Under LMRL-Gym's rule, which does not count repeated letters, the pattern can occur.
 */
function impossible(pattern: number): boolean {
  const marks = marksOf(pattern);
  return (
    marks.filter((mark) => mark === GREEN).length === LETTERS - 1 &&
    marks.some((mark) => mark === YELLOW)
  );
}

/** The lexemes of observations and actions, and those of thoughts only. */
export function lexiconsOf(
  words: readonly string[],
  { feedback, spelling, shown, openings }: WordleSettings,
): { readonly lexicon: readonly string[]; readonly thoughtLexicon: readonly string[] } {
  const spelled =
    spelling === 'letters'
      ? ALPHABET
      : [
          ...words.map(spell),
          ...patternTexts.filter((_, pattern) => feedback === 'original' || !impossible(pattern)),
        ];
  const lexicon = new Set([
    ...spelled,
    INVALID_WORD,
    WELCOME,
    ...(openings > 0 ? [GUESS, FEEDBACK] : []),
    ...(shown === 'all' ? [WORDS, ',', '.'] : []),
  ]);
  const few = Array.from({ length: FEW - 1 }, (_, i) => fewLeft(i + 2));
  const thoughts = [ONE_LEFT, ...few, MANY_LEFT, ONE_OF_THEM, TELLS_APART, '.'];
  return {
    lexicon: [...lexicon],
    thoughtLexicon: thoughts.filter((lexeme) => !lexicon.has(lexeme)),
  };
}

/** The instruction before the first observation. */
export function instructionOf(feedback: WordleSettings['feedback']): string {
  const rules =
    feedback === 'fixed'
      ? ['b: the hidden word does not have this letter, or not as many of it as you guessed.']
      : [
          'b: the hidden word does not have this letter.',
          'The hidden word may change after a guess, but it always agrees with every answer so far.',
        ];
  return [
    'A word of five letters is hidden. Find it in at most six guesses, in as few as you can.',
    'Write a guess as five letters with single spaces between them, for example: s h i r e',
    'The answer has one mark for each letter of your guess, for example: b y g g b',
    'g: the hidden word has this letter in this place.',
    'y: the hidden word has this letter in another place.',
    ...rules,
    `A text that is not a word of the list is answered with "${INVALID_WORD}" and costs a guess.`,
    'Guesses that the first message tells of are already made and cost you nothing.',
    `The answer to the right word is ${patternTexts[ALL_GREEN]}.`,
  ].join('\n');
}
