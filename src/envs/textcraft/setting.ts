import { EnvironmentOptionError, resolveOptions } from '../options.ts';
import type { EnvironmentOptions } from '../types.ts';
import { wholeBook, woodBook } from './book.ts';
import { FAMILY_ID, MOST_DEPTH, OPTIONS } from './options.ts';
import { parseRecipes, readRecipes } from './recipes.ts';
import { type Goals, MOST_STEPS, splitGoals } from './tasks.ts';
import type { Lexemes, Naming } from './text.ts';
import { buildWorld, type World } from './world.ts';

/** The settings that result from the options. */
export interface Setting {
  readonly world: World;
  readonly goals: Goals;
  readonly distractors: number;
  readonly inventory: 'asked' | 'always';
  readonly naming: Naming;
  readonly lexemes: Lexemes;
}

/**
 * Validates the options.
 * Throws `EnvironmentOptionError` also if the user's recipes allow too few items, or if fewer than two goals
 * have the requested depth.
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

/** Throws `EnvironmentOptionError` for recipes with fewer than two goals at any depth. */
function checkCraftable(text: string): void {
  const range = { least: 1, most: MOST_DEPTH };
  if (splitGoals(buildWorld(parseRecipes(text), MOST_DEPTH), range) !== null) return;
  const problem = `must allow at least two items to be crafted, each in at most ${MOST_STEPS} turns and ${MOST_DEPTH} crafts deep`;
  throw new EnvironmentOptionError(`${FAMILY_ID}: recipes ${problem}.`, 'recipes', problem);
}

// Cached, because the book never changes, takes milliseconds to process, and the page asks repeatedly.
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
