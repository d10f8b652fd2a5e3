/** Parses recipes in the file format of Minecraft's data packs (Java Edition). */

/** An item, or any item of a group, with a count. */
interface Ingredient {
  /** Plain name, e.g. `oak planks`. */
  readonly name: string;
  /** Whether the name is a tag: any product of the group with that name fits. */
  readonly tag: boolean;
  readonly count: number;
}

/** The inputs and the product of a crafting command. */
export interface Recipe {
  readonly product: string;
  /** Number of products per craft. */
  readonly count: number;
  /** The tag that the product belongs to; null for none. */
  readonly group: string | null;
  readonly ingredients: readonly Ingredient[];
}

/** Maximum count of an item in an action or the inventory: a stack in the game. */
export const STACK = 64;

/** Maximum number of recipes; the game has fewer. */
export const MOST_RECIPES = 2000;

/** Thrown for invalid recipes; the message names the recipe and its field. */
export class RecipeError extends Error {
  override readonly name = 'RecipeError';
}

type Fields = Readonly<Record<string, unknown>>;

/** Creates the error for a field of the recipe being parsed. */
type Fault = (field: string, expected: string) => RecipeError;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const SHAPED = 'crafting_shaped';
const SHAPELESS = 'crafting_shapeless';

/**
 * Parses a JSON array of recipe objects, or a JSON object that maps names to recipes. Types other than shaped
 * and shapeless crafting are ignored.
 * Throws `RecipeError` for a text that is not JSON, for more than `MOST_RECIPES` recipes, and for the first
 * invalid field.
 */
export function parseRecipes(text: string): Recipe[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RecipeError(`is not JSON (${error instanceof Error ? error.message : error})`);
  }
  return readRecipes(value);
}

/** Like `parseRecipes`, for parsed JSON. */
export function readRecipes(value: unknown): Recipe[] {
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((recipe, i) => [`recipe ${i + 1}`, recipe])
    : isFields(value)
      ? Object.entries(value).map(([name, recipe]) => [`recipe "${shorten(name)}"`, recipe])
      : [];
  if (entries.length > MOST_RECIPES) {
    throw new RecipeError(`must be at most ${MOST_RECIPES} recipes, but are ${entries.length}`);
  }
  const recipes = entries.flatMap(([name, recipe]) => readRecipe(name, recipe) ?? []);
  if (recipes.length === 0) {
    throw new RecipeError(
      `must be a JSON array of recipe objects, or an object of them by name, with at least one of type minecraft:${SHAPED} or minecraft:${SHAPELESS}`,
    );
  }
  return recipes;
}

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

function readRecipe(name: string, recipe: unknown): Recipe | null {
  const fault: Fault = (field, expected) =>
    new RecipeError(`has an error in ${name}: ${field} must be ${expected}`);
  if (!isFields(recipe)) throw fault('it', 'an object');
  const { type } = recipe;
  if (typeof type !== 'string') throw fault('type', `a text such as minecraft:${SHAPED}`);
  const kind = type.replace(/^minecraft:/, '');
  if (kind !== SHAPED && kind !== SHAPELESS) return null;
  const ingredients = kind === SHAPED ? readShaped(recipe, fault) : readShapeless(recipe, fault);
  const group = recipe.group;
  if (group !== undefined && typeof group !== 'string') throw fault('group', 'a string');
  return {
    ...readResult(recipe.result, fault),
    // Groups in the game may be any text; only those that a tag could name matter.
    group: group === undefined ? null : plainName(group),
    ingredients: merge(ingredients),
  };
}

/** The ingredients of a shaped recipe, counted by their cells in the pattern. */
function readShaped({ pattern, key }: Fields, fault: Fault): Ingredient[] {
  if (!Array.isArray(pattern) || !pattern.every((row) => typeof row === 'string')) {
    throw fault('pattern', 'an array of texts');
  }
  if (!isFields(key)) throw fault('key', 'an object with an ingredient for each letter');
  const letters = Array.from(pattern.join('').replaceAll(' ', ''));
  if (letters.length === 0 || letters.length > 9) throw fault('pattern', 'of 1 to 9 letters');
  const known = new Map(Object.entries(key));
  const stranger = letters.find((letter) => !known.has(letter));
  if (stranger !== undefined) throw fault('key', `given for the letter "${stranger}" of pattern`);
  return [...known].flatMap(([letter, value]) => {
    const count = letters.filter((other) => other === letter).length;
    const ingredient = readIngredient(value, `key.${shorten(letter)}`, fault);
    return count === 0 ? [] : [{ ...ingredient, count }];
  });
}

function readShapeless({ ingredients }: Fields, fault: Fault): Ingredient[] {
  if (!Array.isArray(ingredients) || ingredients.length === 0 || ingredients.length > 9) {
    throw fault('ingredients', 'an array of 1 to 9 ingredients');
  }
  return ingredients.map((value, i) => ({
    ...readIngredient(value, `ingredients[${i}]`, fault),
    count: 1,
  }));
}

/** An ingredient in any format of the game; the first if there are alternatives. */
function readIngredient(
  value: unknown,
  field: string,
  fault: Fault,
): { readonly name: string; readonly tag: boolean } {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  const { item, tag } = isFields(one)
    ? { item: one.item, tag: one.tag }
    : typeof one === 'string' && one.startsWith('#')
      ? { item: undefined, tag: one.slice(1) }
      : { item: one, tag: undefined };
  const name = plainName(item ?? tag);
  if (name === null) throw fault(field, EXPECTED_ITEM);
  return { name, tag: item === undefined };
}

function readResult(
  value: unknown,
  fault: Fault,
): { readonly product: string; readonly count: number } {
  const { id, count } = isFields(value)
    ? { id: value.item ?? value.id, count: value.count ?? 1 }
    : { id: value, count: 1 };
  const product = plainName(id);
  if (product === null) throw fault('result', EXPECTED_ITEM);
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > STACK) {
    throw fault('result.count', `a whole number from 1 to ${STACK}`);
  }
  return { product, count };
}

const EXPECTED_ITEM =
  'an item such as {"item": "minecraft:oak_planks"}, of letters a to z, digits and single underscores';

/** `oak planks` for `minecraft:oak_planks`; null if the text is not such an id. */
function plainName(id: unknown): string | null {
  if (typeof id !== 'string' || id.length > 80) return null;
  const path = /^(?:[a-z0-9_.-]+:)?([a-z0-9]+(?:_[a-z0-9]+)*)$/.exec(id)?.[1];
  return path === undefined ? null : path.replaceAll('_', ' ');
}

/** Merges ingredients with the same name. */
function merge(ingredients: readonly Ingredient[]): Ingredient[] {
  const counts = new Map<string, Ingredient>();
  for (const ingredient of ingredients) {
    const before = counts.get(ingredient.name)?.count ?? 0;
    counts.set(ingredient.name, { ...ingredient, count: before + ingredient.count });
  }
  return [...counts.values()];
}
