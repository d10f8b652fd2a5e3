import type { EnvironmentOption } from '../types.ts';

export const SEARCHQA_ID = 'searchqa/searchqa-v1';

export const HOPS = ['single', 'two', 'both'] as const;
export type Hops = (typeof HOPS)[number];

export const PASSAGE_LENGTHS = ['short', 'long'] as const;
export type PassageLength = (typeof PASSAGE_LENGTHS)[number];

/** Most passages that a search can be asked for. */
export const MAX_FOUND = 5;

export const searchqaOptions = {
  hops: {
    type: 'choice',
    description:
      'Facts that a question joins: single asks about the thing it names, two about something that the passage of that thing leads to, both alternates.',
    default: 'both',
    choices: HOPS,
  },
  documents: {
    type: 'number',
    description:
      'Passages that a search shows, best match first. More of them make the text longer and bring others with a similar name.',
    default: 3,
    min: 1,
    max: MAX_FOUND,
    step: 1,
  },
  passage: {
    type: 'choice',
    description:
      'Short passages hold facts alone. Long ones add a sentence beside the point, which names another town, person or team.',
    default: 'short',
    choices: PASSAGE_LENGTHS,
  },
  wrong_answer: {
    type: 'choice',
    description:
      'Whether a wrong answer ends the episode, or the agent may try again while it has turns, as in the original.',
    default: 'ends',
    choices: ['ends', 'retry'],
  },
} as const satisfies Record<string, EnvironmentOption>;
