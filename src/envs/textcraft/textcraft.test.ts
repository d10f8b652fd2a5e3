import { describe, expect, it } from 'vitest';
import { WordTokenizer } from '../../policy/tokenizer.ts';
import { EnvironmentOptionError } from '../options.ts';
import type { EnvironmentOptions } from '../types.ts';
import type { TextCraftState } from './environment.ts';
import { textCraft } from './index.ts';
import { settingOf } from './setting.ts';

/** Three recipes with a tag; `charcoal` and `logs` are raw materials. */
const CAMP = JSON.stringify({
  oak_planks: {
    type: 'minecraft:crafting_shapeless',
    group: 'planks',
    ingredients: [{ item: 'minecraft:oak_logs' }],
    result: { item: 'minecraft:oak_planks', count: 4 },
  },
  stick: {
    type: 'minecraft:crafting_shaped',
    pattern: ['P', 'P'],
    key: { P: { tag: 'minecraft:planks' } },
    result: { item: 'minecraft:stick', count: 4 },
  },
  torch: {
    type: 'minecraft:crafting_shaped',
    pattern: ['C', 'S'],
    key: { C: { item: 'minecraft:charcoal' }, S: { item: 'minecraft:stick' } },
    result: { item: 'minecraft:torch', count: 4 },
  },
});

/** An environment with the camp recipes, and the start of a task with the goal torch. */
function camp(options: EnvironmentOptions = {}) {
  const env = textCraft.create({ recipes: CAMP, depth: 3, distractors: 0, ...options });
  const id = [...env.trainTasks, ...env.evalTasks].find((task) =>
    env.reset(task).observation.endsWith('Goal: craft torch.'),
  );
  return { env, start: env.reset(id ?? '').state };
}

/** Plays actions and returns every reply. */
function answers(actions: readonly string[], options: EnvironmentOptions = {}): string[] {
  const { env, start } = camp(options);
  let state: TextCraftState = start;
  return actions.map((action) => {
    const after = env.step(state, action);
    state = after.state;
    return after.observation;
  });
}

describe('TextCraft environment', () => {
  it('lists the commands in any order, then the goal', () => {
    const { env, start } = camp();
    const { observation } = env.reset(`textcraft_${start.task}`);
    expect(observation).toMatch(/^Crafting commands: craft .* Goal: craft torch\.$/);
    for (const command of [
      'craft 4 oak planks using 1 oak logs',
      'craft 4 stick using 2 planks',
      'craft 4 torch using 1 charcoal, 1 stick',
    ]) {
      expect(observation).toContain(command);
    }
  });

  it("matches the original's replies", () => {
    expect(
      answers([
        'inventory',
        'get 1 oak logs',
        'inventory',
        'craft 4 oak planks using 1 oak logs',
        'get 1 oak planks',
        'get 2 planks',
        'craft 4 stick using 2 oak planks',
        'craft 4 stick using 4 oak planks',
        'craft 4 stick using 1 oak planks',
        'get 1 charcoal',
        'inventory',
        'craft 4 torch using 1 charcoal, 1 stick',
      ]),
    ).toEqual([
      'Inventory: You are not carrying anything.',
      'Got 1 oak logs',
      'Inventory: [oak logs] (1)',
      'Crafted 4 minecraft:oak_planks',
      'Could not find oak planks',
      'Could not find planks',
      'Crafted 4 minecraft:stick',
      'Could not find enough items to craft minecraft:stick',
      'Could not find a valid recipe for minecraft:stick',
      'Got 1 charcoal',
      'Inventory: [oak planks] (2) [stick] (4) [charcoal] (1)',
      'Crafted 4 minecraft:torch',
    ]);
  });

  it('accepts ingredients in any order and any count of the product, as the original does', () => {
    const way = ['get 1 oak logs', 'craft 4 oak planks using 1 oak logs'];
    const stick = 'craft 1 stick using 2 oak planks';
    const last = 'craft 4 torch using 1 stick, 1 charcoal';
    expect(answers([...way, stick, 'get 1 charcoal', last]).slice(2)).toEqual([
      'Crafted 4 minecraft:stick',
      'Got 1 charcoal',
      'Crafted 4 minecraft:torch',
    ]);
  });

  it('rejects a tag and a repeated item as ingredients', () => {
    const way = ['get 1 oak logs', 'craft 4 oak planks using 1 oak logs'];
    expect(
      answers([
        ...way,
        'craft 4 stick using 2 planks',
        'craft 4 stick using 1 oak planks, 1 oak planks',
        'craft 4 stick using 3 oak planks, 3 oak planks',
      ]).slice(2),
    ).toEqual([
      'Could not find enough items to craft minecraft:stick',
      'Could not find a valid recipe for minecraft:stick',
      'Could not find enough items to craft minecraft:stick',
    ]);
  });

  it('limits each item in the inventory to one stack', () => {
    expect(answers(['get 64 oak logs', 'get 1 oak logs', 'get 65 charcoal', 'inventory'])).toEqual([
      'Got 64 oak logs',
      'Could not carry more oak logs',
      'Could not execute this action.',
      'Inventory: [oak logs] (64)',
    ]);
  });

  it('rejects any text that is not exactly an action', () => {
    const strange = [
      'Get 1 oak logs',
      'get one oak logs',
      'get 01 oak logs',
      'get 0 oak logs',
      'get 1  oak logs',
      'get 1 oak logs ',
      'get 1 gold',
      'get 1 oak_logs',
      'get 1 __proto__',
      'craft stick using 2 oak planks',
      'craft 4 stick',
      'craft 4 stick using',
      'craft 4 stick using 2 oak planks,1 charcoal',
      'craft 4 stick using 2 oak planks, ',
      'inventory please',
      'craft 4 stick using 2 oak planks using 1 oak logs',
      `craft 4 torch using ${'1 stick, '.repeat(9)}1 stick`,
      `craft 4 torch using ${'1 stick, '.repeat(100_000)}1 stick`,
    ];
    const { env, start } = camp();
    for (const action of strange) {
      expect(env.step(start, action), action.slice(0, 40)).toEqual({
        state: { ...start, turn: 1, answer: 'Could not execute this action.' },
        observation: 'Could not execute this action.',
        reward: 0,
        terminated: false,
        understood: false,
      });
    }
  });

  it('names items plainly and shows the inventory after every action if configured', () => {
    const options = { names: 'plain', inventory: 'always' };
    expect(
      answers(
        [
          'get 1 oak logs',
          'inventory',
          'dance',
          'craft 4 oak planks using 1 oak logs',
          'craft 4 stick using 2 oak planks',
          'get 1 charcoal',
          'craft 4 torch using 1 charcoal, 1 stick',
        ],
        options,
      ),
    ).toEqual([
      'Got 1 oak logs Inventory: [oak logs] (1)',
      'Inventory: [oak logs] (1)',
      'Could not execute this action. Inventory: [oak logs] (1)',
      'Crafted 4 oak planks Inventory: [oak planks] (4)',
      'Crafted 4 stick Inventory: [oak planks] (2) [stick] (4)',
      'Got 1 charcoal Inventory: [oak planks] (2) [stick] (4) [charcoal] (1)',
      'Crafted 4 torch',
    ]);
    expect(camp(options).env.lexicon.some((lexeme) => lexeme.includes('minecraft'))).toBe(false);
  });

  it('encodes an item as one token, or as its words', () => {
    const tokens = (options: EnvironmentOptions) =>
      new WordTokenizer(camp(options).env.lexicon).encode('craft 4 oak planks using 1 oak logs')
        .length;
    expect(tokens({})).toBe(6);
    expect(tokens({ lexemes: 'words' })).toBe(8);
  });
});

describe('TextCraft expert', () => {
  /** The expert's thoughts and actions until the end, starting after these actions. */
  function shown(before: readonly string[]): (readonly [string, string])[] {
    const { env, start } = camp();
    let state: TextCraftState = start;
    for (const action of before) state = env.step(state, action).state;
    const found: [string, string][] = [];
    while (!env.success(state)) {
      const { thought, action } = env.expert(state);
      found.push([thought, action]);
      expect(env.admissibleActions(state)).toContain(action);
      state = env.step(state, action).state;
    }
    return found;
  }

  it('gets raw materials, crafts products, and gives reasons', () => {
    expect(shown([])).toEqual([
      [
        'It takes charcoal to craft torch. I still need 1 and no command makes them.',
        'get 1 charcoal',
      ],
      [
        'It takes oak logs to craft oak planks. I still need 1 and no command makes them.',
        'get 1 oak logs',
      ],
      [
        'It takes oak planks to craft stick. I still need 2 and can craft them.',
        'craft 4 oak planks using 1 oak logs',
      ],
      [
        'It takes stick to craft torch. I still need 1 and can craft them.',
        'craft 4 stick using 2 oak planks',
      ],
      ['I have all that it takes to craft torch.', 'craft 4 torch using 1 charcoal, 1 stick'],
    ]);
  });

  it('uses what is already in the inventory', () => {
    const before = [
      'get 3 oak logs',
      'craft 4 oak planks using 1 oak logs',
      'craft 4 stick using 2 oak planks',
    ];
    expect(shown(before).map(([, action]) => action)).toEqual([
      'get 1 charcoal',
      'craft 4 torch using 1 charcoal, 1 stick',
    ]);
  });
});

describe('TextCraft task set', () => {
  it('uses a book of at least 300 recipes', () => {
    expect(settingOf({ depth: 4 }).world.commands.length).toBeGreaterThanOrEqual(300);
  });

  it.each([{}, { depth: 4 }, { book: 'wood' }, { depth: 3, goals: 'exact-depth' }])(
    'keeps train and eval goals disjoint: %o',
    (options) => {
      const { goals, world } = settingOf(options);
      const least = 'goals' in options ? 3 : 1;
      const most = options.depth ?? 2;
      for (const goal of goals.eval) expect(goals.train).not.toContain(goal);
      for (const goal of [...goals.train, ...goals.eval]) {
        expect(world.depths[goal]).toBeGreaterThanOrEqual(least);
        expect(world.depths[goal]).toBeLessThanOrEqual(most);
      }
      const share = goals.eval.length / (goals.train.length + goals.eval.length);
      expect(share).toBeGreaterThan(0.1);
      expect(share).toBeLessThan(0.3);
    },
  );

  it('keeps each goal in its split for any options', () => {
    const side = (options: EnvironmentOptions, which: 'train' | 'eval') => {
      const { goals, world } = settingOf(options);
      return goals[which].map((goal) => world.names[goal]);
    };
    const evalGoals = side({ depth: 4 }, 'eval');
    for (const options of [{ depth: 2 }, { book: 'wood' }, { depth: 4, goals: 'exact-depth' }]) {
      for (const goal of side(options, 'eval')) expect(evalGoals).toContain(goal);
      for (const goal of side(options, 'train')) expect(evalGoals).not.toContain(goal);
    }
  });

  it('evaluates only goals whose words all occur in training goals', () => {
    for (const options of [
      {},
      { depth: 4 },
      { book: 'wood' },
      { depth: 3, goals: 'exact-depth' },
    ]) {
      const { goals, world } = settingOf(options);
      const words = (goal: number) => world.names[goal]?.split(' ') ?? [];
      const trained = goals.train.flatMap(words);
      for (const goal of goals.eval) expect(trained).toEqual(expect.arrayContaining(words(goal)));
    }
  });

  it.each([
    [{ depth: 2, distractors: 1, book: 'wood' }, ['acacia planks', 'spruce planks'], 17],
    [
      {},
      [
        'acacia planks',
        'candle',
        'green stained glass',
        'light gray dye',
        'minecart',
        'sandstone',
        'spruce planks',
        'stone bricks',
        'white dye',
      ],
      42,
    ],
  ])(
    'does not evaluate goals that training crafts as intermediate steps: %o',
    (options, steps, all) => {
      const { goals, world } = settingOf(options);
      const env = textCraft.create(options);
      const asked = new Set(env.evalTasks.map((task) => env.holdout.cluster?.of(task)));
      expect(goals.eval).toHaveLength(all);
      const left = goals.eval
        .map((goal) => world.names[goal] ?? '')
        .filter((name) => !asked.has(name));
      expect(left).toEqual(steps);
      expect(env.evalTasks).toHaveLength(4 * (all - steps.length));
      // The items that training crafts, found by playing the expert through every task.
      const crafted = new Set<string>();
      for (const task of env.trainTasks) {
        let { state } = env.reset(task);
        for (let terminated = false; !terminated; ) {
          const { action } = env.expert(state);
          const product = /^craft \d+ (.+) using/.exec(action)?.[1];
          if (product !== undefined) crafted.add(product);
          ({ state, terminated } = env.step(state, action));
        }
      }
      for (const goal of asked) expect(crafted.has(goal ?? '')).toBe(false);
      for (const step of left) expect(crafted.has(step)).toBe(true);
    },
  );

  it('still resolves ids of goals that are no longer evaluated, so that recorded runs replay', () => {
    const env = textCraft.create({ book: 'wood' });
    expect(env.evalTasks).not.toContain('textcraft_100000');
    expect(env.reset('textcraft_100000').observation).toMatch(/Goal: craft acacia planks\.$/);
  });

  it('evaluates an intermediate step if there are too few goals, and says so in its holdout', () => {
    const env = textCraft.create({ recipes: CAMP, depth: 3 });
    expect(env.evalTasks).toHaveLength(4);
    const asked = env.holdout.cluster?.of(env.evalTasks[0] ?? '');
    const [, , steps] = env.holdout.aspects;
    expect([asked, steps?.apart]).toEqual(['oak planks', false]);
    expect(env.holdout.sentence).toMatch(/too few goals to exclude intermediate steps/);
  });

  it('holds out one goal if there are very few', () => {
    const { goals, world } = settingOf({ recipes: CAMP, depth: 3 });
    expect([goals.train.length, goals.eval.length]).toEqual([2, 1]);
    expect(new Set([...goals.train, ...goals.eval].map((goal) => world.names[goal]))).toEqual(
      new Set(['oak planks', 'stick', 'torch']),
    );
  });

  it('rejects a depth with too few goals', () => {
    expect(() => textCraft.create({ recipes: CAMP, depth: 4, goals: 'exact-depth' })).toThrow(
      EnvironmentOptionError,
    );
  });
});
