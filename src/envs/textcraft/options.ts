import type { EnvironmentOption } from '../types.ts';
import { MOST_RECIPES, parseRecipes, RecipeError } from './recipes.ts';

export const FAMILY_ID = 'textcraft/textcraft-v1';

/** Turn limit, as in the published settings of ScalingInter-RL (arXiv:2509.08755). */
export const TURN_LIMIT = 30;

export const MOST_DEPTH = 4;

/** Why a text is not a list of recipes, as the end of a sentence; null if it is one. */
export function recipesFault(text: string): string | null {
  try {
    parseRecipes(text);
    return null;
  } catch (error) {
    if (error instanceof RecipeError) return error.message;
    throw error;
  }
}

export const OPTIONS = {
  depth: {
    type: 'number',
    description:
      'Depth of goals: the length of the longest chain of crafts. Depth 1 needs only raw materials.',
    default: 2,
    min: 1,
    max: MOST_DEPTH,
    step: 1,
  },
  goals: {
    type: 'choice',
    description:
      'Whether goals of smaller depth are included, or only those of exactly this depth.',
    default: 'up-to-depth',
    choices: ['up-to-depth', 'exact-depth'],
  },
  distractors: {
    type: 'number',
    description: 'Listed commands that the goal does not need.',
    default: 4,
    min: 0,
    max: 10,
    step: 1,
  },
  book: {
    type: 'choice',
    description: 'The recipe book: the eight woods and their products, or all recipes.',
    default: 'all',
    choices: ['wood', 'all'],
  },
  inventory: {
    type: 'choice',
    description:
      'When the inventory is shown: on request, as in the original, or after every action.',
    default: 'asked',
    choices: ['asked', 'always'],
  },
  names: {
    type: 'choice',
    description:
      'How a reply names the crafted item: by its id as in the original, minecraft:oak_planks, or by the plain name that commands use, which halves the vocabulary.',
    default: 'ids',
    choices: ['ids', 'plain'],
  },
  lexemes: {
    type: 'choice',
    description:
      'What counts as one token: a whole item name, which keeps texts short, or a single word, with which an agent can spell goals that it never wrote in training.',
    default: 'items',
    choices: ['items', 'words'],
  },
  recipes: {
    type: 'text',
    description: `Your own recipes instead of the book: a JSON array of at most ${MOST_RECIPES} recipe objects, as in the data packs of Minecraft, shaped or shapeless.`,
    default: '',
    most: 500_000,
    fault: recipesFault,
  },
} as const satisfies Record<string, EnvironmentOption>;
