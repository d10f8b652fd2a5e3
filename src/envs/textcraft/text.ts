import { countOf, type GetStep, type Held, type Step } from './plan.ts';
import { STACK } from './recipes.ts';
import type { Task } from './tasks.ts';
import type { Command, Input, World } from './world.ts';

/** How items are named in the replies to `craft`. */
export type Naming = 'ids' | 'plain';

/** Whether an item's name is one lexeme, or each of its words. */
export type Lexemes = 'items' | 'words';

export const INVENTORY = 'inventory';
export const NOT_UNDERSTOOD = 'Could not execute this action.';
const NOTHING_HELD = 'You are not carrying anything.';

/** The texts for a set of recipes. */
export interface Texts {
  /** `Crafting commands: craft … Goal: craft acacia planks.` */
  readonly intro: (task: Task) => string;
  readonly got: (item: number, count: number) => string;
  readonly crafted: (command: Command) => string;
  readonly notFound: (item: number) => string;
  readonly notEnough: (product: number) => string;
  readonly noRecipe: (product: number) => string;
  readonly noRoom: (item: number) => string;
}

/** In the original's wording, with spaces instead of line breaks. */
export function textsOf(world: World, naming: Naming): Texts {
  const name = (item: number) => world.names[item] ?? '';
  const formal = (item: number) => (naming === 'ids' ? (world.ids[item] ?? '') : name(item));
  return {
    intro: ({ commands, goal }) =>
      `Crafting commands: ${commands.map(({ text }) => text).join(' ')} Goal: craft ${name(goal)}.`,
    got: (item, count) => `Got ${count} ${name(item)}`,
    crafted: ({ product, count }) => `Crafted ${count} ${formal(product)}`,
    notFound: (item) => `Could not find ${name(item)}`,
    notEnough: (product) => `Could not find enough items to craft ${formal(product)}`,
    noRecipe: (product) => `Could not find a valid recipe for ${formal(product)}`,
    noRoom: (item) => `Could not carry more ${name(item)}`,
  };
}

/** `Inventory: [acacia logs] (1) [stick] (4)`. */
export function inventoryText(world: World, held: Held): string {
  if (held.length === 0) return `Inventory: ${NOTHING_HELD}`;
  let text = 'Inventory:';
  for (const [item, count] of held) text += ` [${world.names[item]}] (${count})`;
  return text;
}

/** `get 2 acacia logs`. */
export function getText(world: World, item: number, count: number): string {
  return `get ${count} ${world.names[item]}`;
}

/** `craft 4 stick using 2 acacia planks`: a command with an item for each tag. */
export function craftText(world: World, command: Command, inputs: readonly Input[]): string {
  if (!command.tagged) return command.text;
  let text = `craft ${command.count} ${world.names[command.product]} using `;
  for (const [i, { item, count }] of inputs.entries()) {
    text += `${i === 0 ? '' : ', '}${count} ${world.names[item]}`;
  }
  return text;
}

/** The action for a step of a plan. */
export function actionOf(world: World, step: Step): string {
  return step.kind === 'get'
    ? getText(world, step.item, step.count)
    : craftText(world, step.command, step.inputs);
}

/** The expert's reason for a step. */
export function thoughtOf(world: World, step: Step): string {
  const name = (item: number) => world.names[item] ?? '';
  if (step.kind === 'get') return getThought(name, step);
  const { command, lacking, into } = step;
  if (into === null) return `I have all that it takes to craft ${name(command.product)}.`;
  return `It takes ${name(command.product)} to craft ${name(into)}. I still need ${lacking} and can craft them.`;
}

function getThought(name: (item: number) => string, { item, count, into }: GetStep): string {
  return `It takes ${name(item)} to craft ${name(into)}. I still need ${count} and no command makes them.`;
}

/** Every lexeme of observations and actions; each of the game's ids is one lexeme. */
export function lexiconOf(world: World, naming: Naming, by: Lexemes): readonly string[] {
  const lexemes = new Set([
    INVENTORY,
    'get',
    'craft',
    'using',
    ...Array.from({ length: STACK }, (_, i) => `${i + 1}`),
    ...(by === 'items' ? world.names : world.names.flatMap((name) => name.split(' '))),
    ',',
    '.',
    '[',
    ']',
    '(',
    ')',
    'Crafting commands:',
    'Goal: craft',
    'Got',
    'Crafted',
    'Inventory:',
    NOTHING_HELD,
    NOT_UNDERSTOOD,
    'Could not find',
    'Could not find enough items to craft',
    'Could not find a valid recipe for',
    'Could not carry more',
  ]);
  if (naming === 'ids') {
    for (const [item, id] of world.ids.entries()) {
      if (world.members[item]?.length === 0) lexemes.add(id);
    }
  }
  return [...lexemes];
}

/** Additional lexemes of thoughts. */
export const THOUGHT_LEXICON: readonly string[] = [
  'It takes',
  'to craft',
  'I still need',
  'and can craft them.',
  'and no command makes them.',
  'I have all that it takes to craft',
];

/** A parsed action; all of its items are known. */
export type Action =
  | { readonly kind: 'inventory' }
  | { readonly kind: 'get'; readonly item: number; readonly count: number }
  | { readonly kind: 'craft'; readonly product: number; readonly inputs: readonly Input[] };

/** Maximum length of an action in characters; nine ingredients with the longest names fit. */
const LONGEST_ACTION = 1000;
const MOST_INPUTS = 9;

/**
 * Parses an action; undefined if the text is not one. Spaces must be single, and items have their plain
 * names; the order of ingredients does not matter.
 */
export function parseAction(world: World, text: string): Action | undefined {
  if (text === INVENTORY) return { kind: 'inventory' };
  if (text.length > LONGEST_ACTION) return undefined;
  if (text.startsWith('get ')) {
    const input = parseInput(world, text.slice(4));
    return input && { kind: 'get', ...input };
  }
  const using = text.indexOf(' using ');
  if (!text.startsWith('craft ') || using === -1) return undefined;
  const made = parseInput(world, text.slice(6, using));
  if (made === undefined) return undefined;
  const inputs: Input[] = [];
  for (const part of text.slice(using + 7).split(', ')) {
    const input = parseInput(world, part);
    if (input === undefined || inputs.length === MOST_INPUTS) return undefined;
    inputs.push(input);
  }
  return { kind: 'craft', product: made.item, inputs };
}

/** `2 acacia logs`. */
function parseInput(world: World, text: string): Input | undefined {
  const space = text.indexOf(' ');
  const digits = text.slice(0, space);
  if (space < 1 || space > 2 || !/^[1-9][0-9]?$/.test(digits)) return undefined;
  const count = Number(digits);
  const item = world.indices.get(text.slice(space + 1));
  return item === undefined || count > STACK ? undefined : { item, count };
}

/**
 * The command that crafts a product of exactly these inputs, in any order: each of its tags matches one of
 * its items. Undefined if there is none.
 */
export function commandFor(
  world: World,
  product: number,
  inputs: readonly Input[],
): Command | undefined {
  return world.makersOf[product]?.find((command) => {
    if (command.inputs.length !== inputs.length) return false;
    const left = [...inputs];
    // Items before tags, because an item may belong to a tag that another item could match.
    const wanted = command.tagged
      ? [...command.inputs].sort((a, b) => width(world, a) - width(world, b))
      : command.inputs;
    return wanted.every((want) => {
      const at = left.findIndex(
        ({ item, count }) =>
          count === want.count &&
          (item === want.item || world.members[want.item]?.includes(item) === true),
      );
      if (at !== -1) left.splice(at, 1);
      return at !== -1;
    });
  });
}

const width = (world: World, { item }: Input) => world.members[item]?.length ?? 0;

/** Whether the inventory contains the inputs, adding up equal items. */
export function holds(held: Held, inputs: readonly Input[]): boolean {
  return inputs.every(({ item, count }, i) => {
    let wanted = count;
    for (let k = 0; k < i; k++) if (inputs[k]?.item === item) wanted += inputs[k]?.count ?? 0;
    return countOf(held, item) >= wanted;
  });
}
