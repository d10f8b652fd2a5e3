import type { Recipe } from './recipes.ts';

/** A number of items. In a command the item may be a tag, in an action it never is. */
export interface Input {
  /** Index into `names`. */
  readonly item: number;
  readonly count: number;
}

/** A crafting command. */
export interface Command {
  /** Index into `commands`. */
  readonly index: number;
  readonly product: number;
  /** Number of products per craft. */
  readonly count: number;
  readonly inputs: readonly Input[];
  /** Whether an input is a tag. */
  readonly tagged: boolean;
  /** `craft 4 acacia planks using 1 acacia logs`. */
  readonly text: string;
  /** Depth of the product if it is made this way. */
  readonly depth: number;
}

/** A processed recipe book. Items and tags are numbered in the order of their names. */
export interface World {
  /** Plain names, e.g. `acacia planks`. */
  readonly names: readonly string[];
  /** Names in the game, e.g. `minecraft:acacia_planks`. */
  readonly ids: readonly string[];
  readonly indices: ReadonlyMap<string, number>;
  /** The items of a tag, those of least depth first; empty for an item. */
  readonly members: readonly (readonly number[])[];
  /** Length of the longest chain of commands in an item's shallowest recipe; 0 for raw materials. */
  readonly depths: readonly number[];
  /** Ordered by text. */
  readonly commands: readonly Command[];
  /** The first command of least depth that makes an item; null if none does. */
  readonly commandOf: readonly (Command | null)[];
  /** Every command that makes an item. */
  readonly makersOf: readonly (readonly Command[])[];
  /** Every command that uses an item or a tag. */
  readonly usersOf: readonly (readonly Command[])[];
}

/** A recipe as a command; `membersOf` tells which of its inputs are tags. */
interface Draft {
  readonly product: string;
  readonly count: number;
  readonly inputs: readonly { readonly name: string; readonly count: number }[];
  readonly text: string;
}

/** Code unit order is independent of the machine's locale. */
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Processes a recipe book, omitting everything deeper than `depth`. Three rules of the original (ADaPT's
 * TextCraft, arXiv:2311.05772) apply: a tag without craftable items is an item; recipes that only unpack a
 * block are omitted; and so is a recipe that would close a cycle. The original breaks a cycle in directory
 * order; this code drops the last recipe in the order of the commands' texts.
 */
export function buildWorld(recipes: readonly Recipe[], depth: number): World {
  const members = membersOf(recipes);
  const drafts = withoutCircles(draftsOf(recipes), members);
  const depths = depthsOf(drafts, members);
  const depthOf = (name: string) => depths.get(name) ?? 0;
  const draftDepth = ({ inputs }: Draft) =>
    1 + Math.max(...inputs.map(({ name }) => depthOf(name)));
  const kept = drafts.filter((draft) => draftDepth(draft) <= depth);

  const used = new Set<string>();
  for (const { product, inputs } of kept) {
    used.add(product);
    for (const { name } of inputs) {
      used.add(name);
      for (const member of members.get(name) ?? []) {
        if (depthOf(member) < depth) used.add(member);
      }
    }
  }
  const names = [...used].sort(byText);
  const indices = new Map(names.map((name, i) => [name, i]));
  const indexOf = (name: string) => indices.get(name) ?? -1;
  const commands = kept.map(
    (draft, index): Command => ({
      index,
      product: indexOf(draft.product),
      count: draft.count,
      inputs: draft.inputs.map(({ name, count }) => ({ item: indexOf(name), count })),
      tagged: draft.inputs.some(({ name }) => members.has(name)),
      text: draft.text,
      depth: draftDepth(draft),
    }),
  );
  const makersOf = names.map((): Command[] => []);
  const usersOf = names.map((): Command[] => []);
  for (const command of commands) {
    makersOf[command.product]?.push(command);
    for (const { item } of command.inputs) usersOf[item]?.push(command);
  }
  return {
    names,
    ids: names.map((name) => `minecraft:${name.replaceAll(' ', '_')}`),
    indices,
    members: names.map((name) =>
      (members.get(name) ?? [])
        .filter((member) => indices.has(member))
        .sort((a, b) => depthOf(a) - depthOf(b) || byText(a, b))
        .map(indexOf),
    ),
    depths: names.map(depthOf),
    commands,
    commandOf: makersOf.map((makers) =>
      makers.reduce<Command | null>(
        (least, command) => (least === null || command.depth < least.depth ? command : least),
        null,
      ),
    ),
    makersOf,
    usersOf,
  };
}

/** The products of each group that a recipe requests by a tag. */
function membersOf(recipes: readonly Recipe[]): ReadonlyMap<string, readonly string[]> {
  const items = new Set<string>();
  const tags = new Set<string>();
  for (const { product, ingredients } of recipes) {
    items.add(product);
    for (const { name, tag } of ingredients) (tag ? tags : items).add(name);
  }
  const members = new Map<string, Set<string>>();
  for (const { product, group } of recipes) {
    if (group === null || !tags.has(group) || items.has(group)) continue;
    members.set(group, (members.get(group) ?? new Set()).add(product));
  }
  return new Map([...members].map(([group, products]) => [group, [...products]]));
}

/** Every recipe once, ordered by the commands' texts, without those that unpack a block. */
function draftsOf(recipes: readonly Recipe[]): Draft[] {
  const drafts = new Map<string, Draft>();
  for (const { product, count, ingredients } of recipes) {
    const unpacks = ingredients.length === 1 && ingredients[0]?.name.endsWith(' block') === true;
    if (unpacks) continue;
    const inputs = ingredients.map(({ name, count }) => ({ name, count }));
    const list = inputs.map(({ name, count }) => `${count} ${name}`).join(', ');
    const text = `craft ${count} ${product} using ${list}`;
    drafts.set(text, { product, count, inputs, text });
  }
  return [...drafts.values()].sort((a, b) => byText(a.text, b.text));
}

/** The recipes in order, without those that would close a cycle with earlier ones. */
function withoutCircles(
  drafts: readonly Draft[],
  members: ReadonlyMap<string, readonly string[]>,
): Draft[] {
  // Numeric indices for speed: a search may visit all recipes, and users can supply many.
  const numbers = new Map<string, number>();
  const numberOf = (name: string): number => {
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return number;
  };
  /** Ingredients of each item so far, and items of each tag. */
  const next: number[][] = [];
  for (const [tag, products] of members) next[numberOf(tag)] = products.map(numberOf);
  const seenIn: number[] = [];
  /** Whether the target is among the starts or their direct or indirect ingredients. */
  const leadsTo = (starts: readonly number[], target: number, search: number): boolean => {
    const left = [...starts];
    for (let from = left.pop(); from !== undefined; from = left.pop()) {
      if (from === target) return true;
      if (seenIn[from] === search) continue;
      seenIn[from] = search;
      for (const name of next[from] ?? []) if (seenIn[name] !== search) left.push(name);
    }
    return false;
  };
  return drafts.filter((draft, search) => {
    const product = numberOf(draft.product);
    const inputs = draft.inputs.map(({ name }) => numberOf(name));
    if (leadsTo(inputs, product, search)) return false;
    next[product] = [...new Set([...(next[product] ?? []), ...inputs])];
    return true;
  });
}

/** Depth of everything craftable, by name, including tags. */
function depthsOf(
  drafts: readonly Draft[],
  members: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const makers = new Map<string, Draft[]>();
  for (const draft of drafts) {
    const others = makers.get(draft.product);
    if (others === undefined) makers.set(draft.product, [draft]);
    else others.push(draft);
  }
  const depths = new Map<string, number>();
  const known = (name: string): number => depths.get(name) ?? 0;
  const depthOf = (name: string): number => {
    const group = members.get(name);
    if (group !== undefined) return Math.min(...group.map(known));
    const ways = makers.get(name) ?? [];
    if (ways.length === 0) return 0;
    return 1 + Math.min(...ways.map(({ inputs }) => Math.max(...inputs.map((i) => known(i.name)))));
  };
  // An explicit stack, because long chains of recipes can overflow the call stack.
  const waiting = drafts.flatMap(({ product, inputs }) => [
    product,
    ...inputs.map(({ name }) => name),
  ]);
  for (let name = waiting.at(-1); name !== undefined; name = waiting.at(-1)) {
    const before = depths.has(name)
      ? []
      : (members.get(name) ??
        (makers.get(name) ?? []).flatMap(({ inputs }) => inputs.map((input) => input.name)));
    const unknown = before.filter((other) => !depths.has(other));
    if (unknown.length > 0) {
      for (const other of unknown) waiting.push(other);
      continue;
    }
    waiting.pop();
    if (!depths.has(name)) depths.set(name, depthOf(name));
  }
  return depths;
}
