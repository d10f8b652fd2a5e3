import { EnvironmentOptionError, resolveOptions } from '../options.ts';
import type { EnvironmentOption, EnvironmentOptions } from '../types.ts';
import { wholeBook, woodBook } from './book.ts';
import { MOST_RECIPES, parseRecipes, type Recipe, RecipeError, readRecipes } from './recipes.ts';
import { type Goals, MOST_STEPS, splitGoals } from './tasks.ts';
import type { Lexemes, Naming } from './text.ts';
import { buildWorld, type World } from './world.ts';

export const FAMILY_ID = 'textcraft/textcraft-v1';

const MOST_DEPTH = 4;

/** What was found last: while other settings are edited, the same recipes are checked again and again. */
let checked: { readonly text: string; readonly fault: string | null } | null = null;

/** Why the user's recipes cannot be used, as the end of a sentence; null when they can. */
export function recipesFault(text: string): string | null {
  if (checked?.text !== text) checked = { text, fault: findFault(text) };
  return checked.fault;
}

function findFault(text: string): string | null {
  let recipes: readonly Recipe[];
  try {
    recipes = parseRecipes(text);
  } catch (error) {
    if (error instanceof RecipeError) return error.message;
    throw error;
  }
  const range = { least: 1, most: MOST_DEPTH };
  return splitGoals(buildWorld(recipes, MOST_DEPTH), range) === null
    ? `must let at least two items be crafted, each in ${MOST_STEPS} turns and at most ${MOST_DEPTH} crafts deep`
    : null;
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

/** What the options amount to. */
export interface Setting {
  readonly world: World;
  readonly goals: Goals;
  readonly distractors: number;
  readonly inventory: 'asked' | 'always';
  readonly naming: Naming;
  readonly lexemes: Lexemes;
}

/**
 * Reads the options.
 *
 * Throws `EnvironmentOptionError` also where no two goals have the depth that is asked for.
 */
export function settingOf(given?: EnvironmentOptions): Setting {
  const options = resolveOptions(FAMILY_ID, OPTIONS, given);
  const { depth, distractors, inventory, names: naming, lexemes } = options;
  const world = worldOf(options.recipes, options.book, depth);
  const least = options.goals === 'exact-depth' ? depth : 1;
  const goals = splitGoals(world, { least, most: depth });
  if (goals === null) {
    const depths = least === depth ? depth : `${least} to ${depth}`;
    const problem = `leaves fewer than two goals: these recipes have no two of depth ${depths} that take at most ${MOST_STEPS} turns; choose another depth, or goals up to it, or add recipes`;
    throw new EnvironmentOptionError(`${FAMILY_ID}: depth ${problem}.`, 'depth', problem);
  }
  return { world, goals, distractors, inventory, naming, lexemes };
}

// The book's worlds never change and take milliseconds to build; the page asks again and again.
const worlds = new Map<string, World>();

function worldOf(text: string, book: 'wood' | 'all', depth: number): World {
  if (text !== '') return buildWorld(parseRecipes(text), depth);
  const key = `${book} ${depth}`;
  let world = worlds.get(key);
  if (world === undefined) {
    world = buildWorld(readRecipes(book === 'wood' ? woodBook() : wholeBook()), depth);
    worlds.set(key, world);
  }
  return world;
}
