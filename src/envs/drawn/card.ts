import type { EnvironmentOption, FamilyCard } from '../types.ts';

/** Maximum length of a drawing: 15 rows, their line breaks and some spaces. */
const MOST_CHARACTERS = 400;
const MOST_NAME = 40;

export const drawnOptions = {
  drawing: {
    type: 'text',
    description:
      'The maze: rows from top to bottom, separated by / or line breaks, without the wall around it. # wall, . free, S start, G goal, * prize, ! trap. Without S, every free square is a start.',
    default: '',
    most: MOST_CHARACTERS,
    // The rest is validated once the environment is loaded, which keeps the initial bundle small.
    fault: (text) =>
      /^[#.SG*!/\s]*$/.test(text) ? null : 'contains characters other than # . S G * ! and /',
  },
  name: {
    type: 'text',
    description: 'Name of the maze.',
    default: '',
    most: MOST_NAME,
    fault: (text) => (/\p{Cc}/u.test(text) ? 'must be one line' : null),
  },
} as const satisfies Record<string, EnvironmentOption>;

export const drawnCard = {
  id: 'maze/drawn-v1',
  title: 'Your own maze',
  explanation:
    'A maze that you draw. The agent reads where the goal is, where it stands, and which walls and traps touch it. Reaching the goal gives reward 1; if there are prizes, they share half of it. A trap ends the episode without reward.',
  options: drawnOptions,
} as const satisfies FamilyCard;
