import type { EnvironmentOption } from '../types.ts';
import { MOST_RECIPES, parseRecipes, RecipeError } from './recipes.ts';

export const FAMILY_ID = 'textcraft/textcraft-v1';

/** Turns of an episode, as in the published settings of ScalingInter-RL (arXiv:2509.08755). */
export const TURN_LIMIT = 30;

export const MOST_DEPTH = 4;

/** Why a text is no list of recipes, as the end of a sentence; null where it is one. */
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
      'How deep a goal lies: the longest chain of crafts that leads to it. 1 needs things to get only.',
    default: 2,
    min: 1,
    max: MOST_DEPTH,
    step: 1,
  },
  goals: {
    type: 'choice',
    description: 'Whether shallower goals are asked for too, or only those of exactly this depth.',
    default: 'up-to-depth',
    choices: ['up-to-depth', 'exact-depth'],
  },
  distractors: {
    type: 'number',
    description: 'Commands that are listed though the goal does not need them.',
    default: 4,
    min: 0,
    max: 10,
    step: 1,
  },
  book: {
    type: 'choice',
    description: 'The recipe book: the eight woods and what is made of them, or all there is.',
    default: 'all',
    choices: ['wood', 'all'],
  },
  inventory: {
    type: 'choice',
    description:
      'When the agent is told what it holds: when it asks for it, as in the original, or after every action.',
    default: 'asked',
    choices: ['asked', 'always'],
  },
  names: {
    type: 'choice',
    description:
      'How an answer names what was crafted: by its id as in the original, minecraft:oak_planks, or by the plain name that commands use, which halves the vocabulary.',
    default: 'ids',
    choices: ['ids', 'plain'],
  },
  lexemes: {
    type: 'choice',
    description:
      'What an agent reads and writes as one token: a whole item name, which keeps texts short, or a single word, with which it can spell the names of goals that it never wrote in training.',
    default: 'items',
    choices: ['items', 'words'],
  },
  recipes: {
    type: 'text',
    description: `Recipes of your own in place of the book: a JSON array of at most ${MOST_RECIPES} recipe objects as in the data packs of Minecraft, shaped or shapeless.`,
    default: '',
    most: 500_000,
    fault: recipesFault,
  },
} as const satisfies Record<string, EnvironmentOption>;
