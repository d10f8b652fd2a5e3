import type { EnvironmentOption, FamilyCard } from '../types.ts';

/** Maximum length of the code in characters; links stay short enough to be pasted. */
export const MOST_CODE = 20_000;

export const writtenOptions = {
  code: {
    type: 'text',
    description: 'A module in JavaScript or TypeScript. Empty means a guessing game.',
    default: '',
    most: MOST_CODE,
    // The rest is validated once the environment is loaded, which keeps the first load small.
    fault: (text) => (text.includes('\u0000') ? 'must not contain null characters' : null),
  },
} as const satisfies Record<string, EnvironmentOption>;

export const writtenCard = {
  id: 'written/code-v1',
  title: 'Your own code',
  explanation:
    'An environment that you write in JavaScript or TypeScript. It runs in a separate interpreter.',
  options: writtenOptions,
} as const satisfies FamilyCard;
