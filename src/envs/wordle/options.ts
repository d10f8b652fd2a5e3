import { type ResolvedOptions, resolveOptions } from '../options.ts';
import type { EnvironmentOption, EnvironmentOptions } from '../types.ts';
import { WORD_LISTS, wordsFault } from './own-words.ts';

export const wordleId = 'wordle/wordle-v1';

export const wordleOptions = {
  list: {
    type: 'choice',
    description:
      'The words that may be guessed and hidden: small has 32, medium 350, large about 1600. Longer lists contain the shorter ones.',
    default: 'small',
    choices: WORD_LISTS,
  },
  words: {
    type: 'text',
    description:
      'Your own words instead of the list: 8 to 2500 words of five letters from a to z, separated by spaces, commas or line breaks. The expert solves most lists, but not those in which too many words differ in a single letter.',
    default: '',
    most: 50_000,
    fault: wordsFault,
  },
  openings: {
    type: 'number',
    description:
      'Guesses already made when the episode begins; they cost no turns. With 1 or more, a task is a hidden word with its openings, and evaluation uses the words of training with other openings. With 0, evaluation uses only words that training never hides.',
    default: 1,
    min: 0,
    max: 3,
    step: 1,
  },
  feedback: {
    type: 'choice',
    description:
      'fixed: one hidden word, with repeated letters marked as in Wordle. original: as in LMRL-Gym, every turn hides another word that agrees with all feedback so far, and a letter is yellow wherever the hidden word contains it, regardless of the count.',
    default: 'fixed',
    choices: ['fixed', 'original'],
  },
  spelling: {
    type: 'choice',
    description:
      'What counts as one token; the text is the same. word: each word of the list and each pattern of marks, which keeps texts shortest. letters: each letter and each mark, so that the agent spells words and can see which are similar.',
    default: 'word',
    choices: ['word', 'letters'],
  },
  shown: {
    type: 'choice',
    description:
      'Whether the first observation lists the words, as the original does: all or none. The list is long, and an agent learns the words by playing.',
    default: 'none',
    choices: ['none', 'all'],
  },
} as const satisfies Record<string, EnvironmentOption>;

export type WordleSettings = ResolvedOptions<typeof wordleOptions>;

/** Throws `EnvironmentOptionError` for an unknown option or a value out of bounds. */
export function wordleSettings(options?: EnvironmentOptions): WordleSettings {
  return resolveOptions(wordleId, wordleOptions, options);
}
