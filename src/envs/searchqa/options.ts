import type { EnvironmentOption } from '../types.ts';

export const SEARCHQA_ID = 'searchqa/searchqa-v1';

export const HOPS = ['single', 'two', 'both'] as const;
export type Hops = (typeof HOPS)[number];

export const PASSAGE_LENGTHS = ['short', 'long'] as const;
export type PassageLength = (typeof PASSAGE_LENGTHS)[number];

/** Maximum number of passages per search. */
export const MAX_FOUND = 5;

export const searchqaOptions = {
  hops: {
    type: 'choice',
    description:
      'Number of hops: single asks about the thing it names, two about something that the first passage leads to, both alternates.',
    default: 'both',
    choices: HOPS,
  },
  documents: {
    type: 'number',
    description:
      'Passages that a search returns, best match first. More of them lengthen the text and include things with similar names.',
    default: 3,
    min: 1,
    max: MAX_FOUND,
    step: 1,
  },
  passage: {
    type: 'choice',
    description:
      'Short passages contain only facts. Long ones add an irrelevant sentence that names another town, person or team.',
    default: 'short',
    choices: PASSAGE_LENGTHS,
  },
  wrong_answer: {
    type: 'choice',
    description:
      'Whether a wrong answer ends the episode, or the agent may try again while turns are left, as in the original.',
    default: 'ends',
    choices: ['ends', 'retry'],
  },
} as const satisfies Record<string, EnvironmentOption>;
