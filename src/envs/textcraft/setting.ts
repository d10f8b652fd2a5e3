import { EnvironmentOptionError, resolveOptions } from '../options.ts';
import type { EnvironmentOptions } from '../types.ts';
import { wholeBook, woodBook } from './book.ts';
import { FAMILY_ID, MOST_DEPTH, OPTIONS } from './options.ts';
import { parseRecipes, readRecipes } from './recipes.ts';
import { type Goals, MOST_STEPS, splitGoals } from './tasks.ts';
import type { Lexemes, Naming } from './text.ts';
import { buildWorld, type World } from './world.ts';

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
 * Throws `EnvironmentOptionError` also where recipes of one's own let too few things be crafted, and
 * where no two goals have the depth that is asked for.
 */
export function settingOf(given?: EnvironmentOptions): Setting {
  const options = resolveOptions(FAMILY_ID, OPTIONS, given);
  const { depth, distractors, inventory, names: naming, lexemes } = options;
  if (options.recipes !== '') checkCraftable(options.recipes);
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

/** Throws `EnvironmentOptionError` for recipes of which no two goals can be made at any depth. */
function checkCraftable(text: string): void {
  const range = { least: 1, most: MOST_DEPTH };
  if (splitGoals(buildWorld(parseRecipes(text), MOST_DEPTH), range) !== null) return;
  const problem = `must let at least two items be crafted, each in ${MOST_STEPS} turns and at most ${MOST_DEPTH} crafts deep`;
  throw new EnvironmentOptionError(`${FAMILY_ID}: recipes ${problem}.`, 'recipes', problem);
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
