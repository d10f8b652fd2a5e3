import type { EnvironmentOption, FamilyCard } from '../types.ts';

/** Maximum length of the code in characters; links stay short enough to be pasted. */
export const MOST_CODE = 20_000;

/** The option `code`. */
const optionsFor = (what: string) =>
  ({
    code: {
      type: 'text',
      description: `${what} Empty means a guessing game.`,
      default: '',
      most: MOST_CODE,
      // The rest is validated once the environment is loaded, which keeps the first load small.
      fault: (text) => (text.includes('\u0000') ? 'must not contain null characters' : null),
    },
  }) as const satisfies Record<string, EnvironmentOption>;

export const writtenCard = {
  id: 'written/code-v1',
  title: 'Your own code',
  explanation:
    'An environment that you write in JavaScript or TypeScript. It runs in a separate interpreter.',
  options: optionsFor('A module in JavaScript or TypeScript.'),
} as const satisfies FamilyCard;

export const pythonCard = {
  id: 'written/python-v1',
  title: 'Your own code (Python)',
  explanation:
    'An environment that you write in Python, as a class with the methods of Gymnasium. It runs in a separate interpreter, in the page only.',
  options: optionsFor('A module in Python with a class.'),
} as const satisfies FamilyCard;

export type Language = 'javascript' | 'python';

const languages: Readonly<Record<string, Language>> = {
  [writtenCard.id]: 'javascript',
  [pythonCard.id]: 'python',
};

/** The card of the environments written in a language. */
export const cardOf = (language: Language) => (language === 'python' ? pythonCard : writtenCard);

/** The language of an environment that a user has written; undefined for any other. */
export const languageOf = (id: string): Language | undefined => languages[id];
