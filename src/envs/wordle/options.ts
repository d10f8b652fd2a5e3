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
      'Your own words in place of the list, from 8 to 2500 of five letters from a to z, with spaces, commas or line breaks between them. The expert solves most lists, but not those in which too many words differ in a single letter.',
    default: '',
    most: 50_000,
    fault: wordsFault,
  },
  openings: {
    type: 'number',
    description:
      'Guesses that are already made when the episode begins; they use up no turn. With 1 or more, a task is a hidden word with its openings, and evaluation has words that training hides too, but behind other openings. With 0, evaluation has only words that training never hides.',
    default: 1,
    min: 0,
    max: 3,
    step: 1,
  },
  feedback: {
    type: 'choice',
    description:
      'fixed hides one word and marks letters that occur several times as Wordle does. original does as the LMRL-Gym environment: before every turn another word is hidden that agrees with all feedback so far, and a letter is yellow wherever the hidden word has it, however often.',
    default: 'fixed',
    choices: ['fixed', 'original'],
  },
  spelling: {
    type: 'choice',
    description:
      'What the agent reads and writes as one token; the text is the same. word: each word of the list and each pattern of marks is a token, which keeps texts shortest. letters: each letter and each mark is a token, so that the agent spells words and can read likeness from them.',
    default: 'word',
    choices: ['word', 'letters'],
  },
  shown: {
    type: 'choice',
    description:
      'Whether the first observation lists the words, as the original does: all or none. The list is long to read, and an agent learns the words by playing.',
    default: 'none',
    choices: ['none', 'all'],
  },
} as const satisfies Record<string, EnvironmentOption>;

export type WordleSettings = ResolvedOptions<typeof wordleOptions>;

/** Throws `EnvironmentOptionError` for an option that Wordle does not have or a value out of bounds. */
export function wordleSettings(options?: EnvironmentOptions): WordleSettings {
  return resolveOptions(wordleId, wordleOptions, options);
}
