import { describe, expect, it } from 'vitest';
import { textCraft } from './index.ts';
import { OPTIONS, recipesFault } from './options.ts';
import { MOST_RECIPES, parseRecipes, type Recipe } from './recipes.ts';
import { buildWorld } from './world.ts';

const read = (...recipes: readonly unknown[]): Recipe[] => parseRecipes(JSON.stringify(recipes));

const shapeless = (result: unknown, ingredients: readonly unknown[], group?: string) => ({
  type: 'minecraft:crafting_shapeless',
  ingredients,
  result,
  ...(group === undefined ? {} : { group }),
});

describe('parseRecipes', () => {
  it('counts the letters of a pattern in the order of the key', () => {
    const recipe = {
      type: 'minecraft:crafting_shaped',
      pattern: ['P P', 'PSP'],
      key: { S: { item: 'minecraft:stick' }, P: { tag: 'minecraft:planks' } },
      result: { item: 'minecraft:thing', count: 2 },
    };
    expect(read(recipe)).toEqual([
      {
        product: 'thing',
        count: 2,
        group: null,
        ingredients: [
          { name: 'stick', tag: false, count: 1 },
          { name: 'planks', tag: true, count: 4 },
        ],
      },
    ]);
  });

  it('accepts the format of any version of the game', () => {
    const expected = [
      {
        product: 'oak planks',
        count: 4,
        group: 'planks',
        ingredients: [{ name: 'oak log', tag: false, count: 2 }],
      },
    ];
    const log = { item: 'minecraft:oak_log' };
    const old = { item: 'minecraft:oak_planks', count: 4 };
    const later = { id: 'minecraft:oak_planks', count: 4 };
    expect(read(shapeless(old, [log, log], 'planks'))).toEqual(expected);
    expect(read(shapeless(later, ['minecraft:oak_log', log], 'planks'))).toEqual(expected);
    expect(read(shapeless(later, [[log, { item: 'other' }], 'oak_log'], 'planks'))).toEqual(
      expected,
    );
    const [short] = read(shapeless('minecraft:stick', ['#minecraft:planks']));
    expect(short).toEqual({
      product: 'stick',
      count: 1,
      group: null,
      ingredients: [{ name: 'planks', tag: true, count: 1 }],
    });
  });

  it('accepts an object that maps names to recipes, and ignores other types of recipes', () => {
    const recipes = {
      smelt: { type: 'minecraft:smelting', ingredient: 5 },
      stick: shapeless('stick', ['planks']),
    };
    expect(parseRecipes(JSON.stringify(recipes))).toHaveLength(1);
  });

  const item = { item: 'a' };
  const faults: [string, unknown, RegExp][] = [
    ['no recipe', [], /with at least one of type minecraft:crafting_shaped/],
    ['a number', 5, /must be a JSON array of recipe objects/],
    ['smelting recipes only', [{ type: 'minecraft:smelting' }], /with at least one of type/],
    ['a text instead of a recipe', { x: 'y' }, /in recipe "x": it must be an object/],
    ['no type', [{}], /in recipe 1: type must be/],
    ['a pattern of numbers', [{ type: 'crafting_shaped', pattern: [1] }], /1: pattern must be/],
    ['no key', [{ type: 'crafting_shaped', pattern: ['A'] }], /recipe 1: key must be an object/],
    [
      'a letter without a key',
      [{ type: 'crafting_shaped', pattern: ['AB'], key: { A: item } }],
      /recipe 1: key must be given for the letter "B" of pattern/,
    ],
    [
      'an empty pattern',
      [{ type: 'crafting_shaped', pattern: [' '], key: {} }],
      /pattern must be of 1 to 9 letters/,
    ],
    [
      'a key that is not an item',
      { gate: { type: 'crafting_shaped', pattern: ['A'], key: { A: {} } } },
      /in recipe "gate": key\.A must be an item/,
    ],
    ['no ingredients', [shapeless('a', [])], /ingredients must be an array of 1 to 9/],
    ['a bad ingredient', [shapeless('a', ['b', 'C!'])], /ingredients\[1\] must be an item/],
    ['the property name __proto__', [shapeless('__proto__', ['b'])], /result must be an item/],
    ['no result', [shapeless(undefined, ['b'])], /result must be an item/],
    ['a count of 0', [shapeless({ item: 'a', count: 0 }, ['b'])], /result\.count must be a whole/],
    ['a fractional count', [shapeless({ item: 'a', count: 1.5 }, ['b'])], /from 1 to 64/],
    [
      'a group that is not a string',
      [{ ...shapeless('a', ['b']), group: 7 }],
      /group must be a string/,
    ],
    ['one goal', [shapeless('a', ['b'])], /at least two items to be crafted/],
  ];
  it.each(faults)('rejects recipes with %s', (_name, value, message) => {
    expect(() => textCraft.create({ recipes: JSON.stringify(value) })).toThrow(message);
  });

  it('rejects text that is not JSON', () => {
    expect(recipesFault('{')).toMatch(/^is not JSON \(/);
    expect(() => textCraft.create({ recipes: '[' })).toThrow(
      /textcraft\/textcraft-v1: recipes is not JSON/,
    );
  });

  it('accepts valid recipes', () => {
    const two = JSON.stringify([shapeless('a', ['c']), shapeless('b', ['a'])]);
    expect(recipesFault(two)).toBeNull();
    expect(OPTIONS.recipes.fault(two)).toBeNull();
    const env = textCraft.create({ recipes: two });
    expect(env.reset(env.trainTasks[0] ?? '').observation).toMatch(/Goal: craft [ab]\.$/);
  });

  it('accepts items named like properties of Object', () => {
    const recipes = JSON.stringify([
      shapeless('constructor', ['to_string']),
      shapeless('value_of', ['constructor']),
    ]);
    const env = textCraft.create({ recipes });
    let { state } = env.reset(env.trainTasks[0] ?? '');
    while (!env.success(state)) state = env.step(state, env.expert(state).action).state;
    expect(state.answer).toMatch(/^Crafted 1 minecraft:(constructor|value_of)$/);
  });
});

describe('large recipe book', () => {
  /** CPU time of this process in milliseconds, independent of other load. */
  const cost = (work: () => void): number => {
    const begun = process.cpuUsage();
    work();
    return process.cpuUsage(begun).user / 1000;
  };
  const name = (i: number) => `i${String(i).padStart(5, '0')}`;
  const all = Array.from({ length: MOST_RECIPES }, (_, i) => i);

  it('can be one long chain, listed in either direction', () => {
    for (const chain of [
      all.map((i) => shapeless(name(i + 1), [name(i)])),
      all.map((i) => shapeless(name(i), [name(i + 1)])),
    ]) {
      const text = JSON.stringify(chain);
      expect(OPTIONS.recipes.fault(text)).toBeNull();
      const { depths } = buildWorld(parseRecipes(text), Infinity);
      expect(Math.max(...depths)).toBe(MOST_RECIPES);
    }
  });

  it('is rejected above the size limit, which the error message states', () => {
    const many = [...all, MOST_RECIPES].map((i) => shapeless(name(i), ['log']));
    expect(recipesFault(JSON.stringify(many))).toBe('must be at most 2000 recipes, but are 2001');
    const { most } = OPTIONS.recipes;
    expect(() => textCraft.create({ recipes: ' '.repeat(most + 1) })).toThrow(
      /recipes must have at most 500,000 characters, but has 500,001; it is/,
    );
  });

  const nine = Array.from({ length: 9 }, (_, k) => k);
  it.each([
    // The search for a cycle visits every earlier recipe.
    [
      'with recipes that depend on all before them',
      name,
      (i: number) => nine.map((k) => name(Math.max(0, i - k - 1))),
    ],
    ['with recipes of one group', name, () => [{ tag: 'things' }]],
    // Four layers of nine, each made of all items of the layer below.
    [
      'with goals that need very many crafts',
      (i: number) => name(9 + i),
      (i: number) => nine.map((k) => name(9 * Math.min(3, Math.floor(i / 9)) + k)),
    ],
    [
      'with recipes of raw materials only',
      name,
      (i: number) => nine.map((k) => name(MOST_RECIPES + 9 * i + k)),
    ],
  ])('is processed quickly, even %s', (_, product, inputs) => {
    const text = JSON.stringify(all.map((i) => shapeless(product(i), inputs(i), 'things')));
    expect(cost(() => recipesFault(text))).toBeLessThan(15_000);
  });
});

describe('buildWorld', () => {
  const facts = (...recipes: readonly unknown[]) => {
    const world = buildWorld(read(...recipes), 4);
    return {
      texts: world.commands.map(({ text }) => text),
      depths: Object.fromEntries(world.names.map((name, i) => [name, world.depths[i]])),
      members: Object.fromEntries(
        world.names.flatMap((name, i) => {
          const members = (world.members[i] ?? []).map((member) => world.names[member]);
          return members.length === 0 ? [] : [[name, members]];
        }),
      ),
    };
  };

  it('uses the shallower of two recipes and omits items that are too deep', () => {
    const chain = ['b', 'c', 'd', 'e', 'f'].map((name, i) =>
      shapeless(name, [String.fromCharCode(97 + i)]),
    );
    expect(facts(...chain)).toEqual({
      texts: ['b', 'c', 'd', 'e'].map(
        (name, i) => `craft 1 ${name} using 1 ${String.fromCharCode(97 + i)}`,
      ),
      depths: { a: 0, b: 1, c: 2, d: 3, e: 4 },
      members: {},
    });
    expect(facts(...chain, shapeless('e', ['a'])).depths).toMatchObject({ e: 1, f: 2 });
  });

  it('omits recipes that unpack blocks or close a cycle', () => {
    const ingot = shapeless('ingot', ['ingot_block']);
    const block = shapeless('ingot_block', ['ingot']);
    const nugget = shapeless({ item: 'nugget', count: 9 }, ['ingot']);
    const back = shapeless('ingot', Array(9).fill('nugget'));
    expect(facts(ingot, block).texts).toEqual(['craft 1 ingot block using 1 ingot']);
    // The first in the order of the texts is kept.
    expect(facts(nugget, back).texts).toEqual(['craft 1 ingot using 9 nugget']);
    expect(facts(back, nugget)).toEqual(facts(nugget, back));
  });

  it('treats a tag without craftable items as an item', () => {
    const planks = (wood: string) =>
      shapeless(`${wood}_planks`, [{ tag: `${wood}_logs` }], 'planks');
    const stick = shapeless('stick', [{ tag: 'planks' }]);
    expect(facts(planks('oak'), stick)).toEqual({
      texts: ['craft 1 oak planks using 1 oak logs', 'craft 1 stick using 1 planks'],
      depths: { 'oak logs': 0, 'oak planks': 1, planks: 1, stick: 2 },
      members: { planks: ['oak planks'] },
    });
    expect(facts(stick, shapeless('oak', ['stick'])).members).toEqual({});
  });

  it('does not depend on the order of the recipes', () => {
    const recipes = [
      shapeless('a', ['x']),
      shapeless('b', ['a', 'x']),
      shapeless('c', ['b']),
      shapeless('x', ['c']),
    ];
    expect(facts(...[...recipes].reverse())).toEqual(facts(...recipes));
  });
});
