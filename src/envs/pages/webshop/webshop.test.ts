import { mersenne } from 'pure-rand/generator/mersenne';
import { describe, expect, it } from 'vitest';
import { bracketSpoilers, playMalformed, type Spoiler } from '../../testing/malformed.ts';
import { RUNGS } from '../core/kit.ts';
import { families } from '../index.ts';
import { webshopId } from '../options.ts';
import { baseColor, type Judged, judge, typeReward } from './reward.ts';
import { drawShop, GROUPS, SHELF } from './shop.ts';
import { tokenSetRatio } from './similarity.ts';

const family = families.find(({ id }) => id === webshopId);
if (family === undefined) throw new Error('there is no web shop');

describe('tokenSetRatio', () => {
  it.each([
    // Computed by hand: twice the length of the longest common subsequence over the sum of both lengths.
    ['red', 'red', 100],
    ['large', 'x-large', 100],
    ['fit slim', 'slim fit', 100],
    ['Slim Fit!', 'slim fit', 100],
    // “fit slim” and “fit loose” (8 and 9 characters) share “fit s”: 10/17. “fit” and “fit slim”: 6/11.
    ['slim fit', 'loose fit', 59],
    // “sleeve long” and “sleeve short” share “sleeve o”: 16/23. “sleeve” and “sleeve long”: 12/17.
    ['long sleeve', 'short sleeve', 71],
    ['small', 'medium', 18],
    ['', 'red', 0],
    ['!', '!', 0],
  ])('rates the similarity of %j and %j as %i', (a, b, ratio) => {
    expect(tokenSetRatio(a, b)).toBe(ratio);
    expect(tokenSetRatio(b, a)).toBe(ratio);
  });
});

const shirt: Judged = {
  query: "men's shirts",
  categories: ['Clothing', "men's shirts"],
  title: "Arvel men's shirts, slim fit",
  nouns: ['arvel', 'men', 'shirts', 'fit'],
  attributes: ['slim fit', 'side pockets'],
  features: ['Made by Arvel', 'machine washable'],
  description: 'A shirt with button closure',
  price: 29,
};

describe('WebShop reward', () => {
  const wishes = {
    product: shirt,
    attributes: ['slim fit', 'side pockets'],
    options: ['navy blue', 'large'],
    bound: 40,
  };

  it('is the share of requirements met', () => {
    expect(judge(shirt, ['navy blue', 'large'], wishes)).toEqual({
      type: 1,
      attributes: [true, true],
      options: [true, true],
      price: true,
      reward: 1,
    });
    expect(judge(shirt, ['navy blue'], wishes).reward).toBe(4 / 5);
    expect(judge(shirt, [], wishes).reward).toBe(3 / 5);
    expect(judge({ ...shirt, price: 40 }, [], wishes).price).toBe(true);
    expect(judge({ ...shirt, price: 41 }, [], wishes).reward).toBe(2 / 5);
  });

  it('counts attributes found in the features or the description', () => {
    const attributes = ['slim fit', 'machine washable', 'button closure', 'long sleeve'];
    const { attributes: found, reward } = judge({ ...shirt, attributes: [] }, [], {
      ...wishes,
      attributes,
      options: [],
    });
    expect(found).toEqual([true, true, true, false]);
    expect(reward).toBe(4 / 5);
  });

  it('treats colors with the same base color as equal, and x-large as large', () => {
    expect(judge(shirt, ['sky blue', 'x-large'], wishes).options).toEqual([true, true]);
    expect(judge(shirt, ['olive green', 'small'], wishes).options).toEqual([false, false]);
    expect([baseColor('sky blue'), baseColor('blue'), baseColor('x-large')]).toEqual([
      'blue',
      'blue',
      'x-large',
    ]);
  });

  it('is lower for a different type of product', () => {
    const other = { query: 'coffee mugs', categories: ['Kitchen', 'coffee mugs'] };
    const wanted = (nouns: readonly string[]) => ({ ...shirt, nouns });
    const ten = Array.from({ length: 10 }, (_, i) => `noun${i}`);
    // No noun of the title matches, though the kind is the same.
    expect(typeReward({ ...shirt, nouns: ['mugs'] }, shirt)).toBe(0);
    // One of eleven nouns matches, then one of ten.
    expect(typeReward({ ...other, nouns: ['noun1'] }, wanted([...ten, 'more']))).toBe(0.1);
    expect(typeReward({ ...other, nouns: ['noun1'] }, wanted(ten))).toBe(0.5);
    // Two of ten nouns, a fifth, are not enough; two matching category levels are.
    expect(typeReward({ ...other, nouns: ['noun1', 'noun2'] }, wanted(ten))).toBe(0.5);
    const { categories } = shirt;
    expect(typeReward({ ...other, categories, nouns: ['noun1'] }, wanted(ten))).toBe(1);
    expect(typeReward({ ...other, nouns: ['noun1', 'noun2', 'noun3'] }, wanted(ten))).toBe(1);
    expect(typeReward({ ...other, nouns: [] }, wanted([]))).toBe(0.5);
    const mug = { ...shirt, ...other, nouns: ['arvel', 'mugs'] };
    // One of four nouns matches: the brand alone earns the full type reward, as in the original.
    expect(judge(mug, ['navy blue', 'large'], wishes).reward).toBe(1);
  });
});

/** The observations of an episode with the given actions. */
function story(rung: string, task: string, actions: readonly string[]) {
  const environment = family?.create({ rung });
  if (environment === undefined) throw new Error('there is no web shop');
  let { state, observation } = environment.reset(task);
  const texts = [observation];
  let last = { reward: 0, terminated: false, understood: true };
  for (const action of actions) {
    const after = environment.step(state, action);
    ({ state, observation } = after);
    last = after;
    texts.push(observation);
  }
  return { texts, state, environment, last };
}

describe('WebShop episode', () => {
  it("matches the original's format: pages in one line with separators", () => {
    const { texts, last } = story('two', 'webshop_1', [
      'click[B09]',
      'click[blue]',
      'click[Description]',
      'click[< Prev]',
      'click[Buy Now]',
    ]);
    const goal =
      'Instruction: [SEP] Find me bird feeders with silver trim with color: blue, and price lower than 60.00 dollars [SEP] Back to Search';
    const item = (blue: string) =>
      `${goal} [SEP] < Prev [SEP] color [SEP] black [SEP] ${blue} [SEP] orange [SEP] easy clean bird feeders with silver trim by Kestra [SEP] Price: $39.0 [SEP] Rating: N.A. [SEP] Description [SEP] Features [SEP] Reviews [SEP] Buy Now`;
    expect(texts).toEqual([
      `${goal} [SEP] Page 1 (Total results: 4) [SEP] B01 [SEP] extra strong bird feeders with silver trim by Elmva [SEP] $44.0 [SEP] B07 [SEP] easy clean bird feeders with silver trim by Dorrik [SEP] $9.0 [SEP] B09 [SEP] easy clean bird feeders with silver trim by Kestra [SEP] $39.0 [SEP] B11 [SEP] hand made bird feeders with silver trim by Arvel [SEP] $79.0`,
      item('blue'),
      item('blue (chosen)'),
      `${goal} [SEP] < Prev [SEP] From the range of bird feeders by Kestra`,
      item('blue (chosen)'),
      'Thank you for shopping with us! [SEP] Your score (min 0.0, max 1.0) [SEP] 1.00',
    ]);
    expect(last).toMatchObject({ reward: 1, terminated: true });
  });

  it('opens on a product page on rung one', () => {
    const { texts, last } = story('one', 'webshop_1', [
      'click[20 ounce]',
      'click[brown]',
      'click[Buy Now]',
    ]);
    expect(texts[0]).toBe(
      'Instruction: [SEP] Find me lunch boxes with color: brown, and size: 20 ounce [SEP] Back to Search [SEP] < Prev [SEP] color [SEP] blue [SEP] brown [SEP] black [SEP] size [SEP] 12 ounce [SEP] 20 ounce [SEP] 32 ounce [SEP] light weight lunch boxes with silver trim by Jorva [SEP] Price: $19.0 [SEP] Rating: N.A. [SEP] Description [SEP] Features [SEP] Reviews [SEP] Buy Now',
    );
    expect(last.reward).toBe(1);
    expect(story('one', 'webshop_1', ['click[Buy Now]']).last.reward).toBe(1 / 3);
  });

  it('opens on the search page on rung three, and paginates the results', () => {
    const { texts } = story('three', 'webshop_1', [
      'search[area rugs striped pattern]',
      'click[next >]',
      'click[< Prev]',
      'click[back to search]',
      'search[violins]',
    ]);
    expect(texts[0]).toMatch(/^WebShop \[SEP\] Instruction: \[SEP\] Find me .* \[SEP\] Search$/);
    expect(texts[1]).toContain('Page 1 (Total results: 6) [SEP] Next > [SEP] B03 [SEP]');
    expect(texts[2]).toContain('Page 2 (Total results: 6) [SEP] < Prev [SEP]');
    expect(texts[2]).not.toContain('Next >');
    expect(texts[3]).toBe(texts[1]);
    expect(texts[4]).toBe(texts[0]);
    expect(texts[5]).toMatch(/Back to Search \[SEP\] Page 1 \(Total results: 0\)$/);
  });

  it('ignores the case of actions, accepts one option per group, and clears options on the results page', () => {
    const { texts, environment, state } = story('two', 'webshop_1', [
      'click[b09]',
      'click[BLUE]',
      'click[black]',
      'click[< prev]',
      'click[B09]',
    ]);
    expect(texts[3]).toContain('black (chosen) [SEP] blue [SEP]');
    expect(texts[5]).not.toContain('(chosen)');
    const bought = environment.step(state, 'click[buy now]');
    // The property and the price match, but the color does not.
    expect(bought.reward).toBe(2 / 3);
    expect(environment.success(bought.state)).toBe(false);
    expect(bought.observation).toMatch(/0\.67$/);
  });

  it('explains why an action has no effect, and repeats the page', () => {
    const { texts, last } = story('two', 'webshop_1', [
      'buy it',
      'search[bird feeders]',
      'click[Buy Now]',
      'click[]',
    ]);
    expect(texts.slice(1)).toEqual([
      `Invalid action: write search[words] or click[text]. [SEP] ${texts[0]}`,
      `Invalid action: only the page with Search takes a search. [SEP] ${texts[0]}`,
      `Invalid action: nothing on this page has this text. [SEP] ${texts[0]}`,
      `Invalid action: write search[words] or click[text]. [SEP] ${texts[0]}`,
    ]);
    expect(last.understood).toBe(false);
    const idle = story('two', 'webshop_1', Array<string>(20).fill('wait'));
    expect(idle.texts.at(-1)).toMatch(/ No turns are left\.$/);
    expect(idle.last).toMatchObject({ reward: 0, terminated: true });
  });
});

const spoilers: readonly Spoiler[] = [
  ...bracketSpoilers,
  (action) => `${action}${action}`,
  (action, _, other) => action.replace(/\[.*\]/, `[${other}]`),
  (action) => action.replace(/^\w+/, 'press'),
  (action, at) => action.replace('[', '['.repeat(at + 2)),
  (action) => action.replace(/\[.*\]/, '[__proto__]'),
  (action, at) => `search[${action.repeat(10 * at)}]`,
];

describe('WebShop under a thousand malformed actions', () => {
  it('replies to each action quickly, using only lexemes of its vocabulary', () => {
    const malformed = playMalformed(family.create(), spoilers, /^Invalid action: /);
    expect(malformed).toBeGreaterThan(600);
  });
});

describe('generated shop', () => {
  it.each(RUNGS)('has one matching product and three near misses on rung %s', (rung) => {
    const random = mersenne(1);
    for (let i = 0; i < 300; i++) {
      const { shelf, kind, wanted, wishes, goal } = drawShop(rung, random);
      const ofKind = shelf.filter(({ query }) => query === kind);
      const fitting = ofKind.filter(
        ({ attributes, options, price }) =>
          wishes.attributes.every((wish) => attributes.includes(wish)) &&
          GROUPS.every((group) => {
            const value = wanted[group];
            return value === null || options[group].includes(value);
          }) &&
          price <= wishes.bound,
      );
      expect([ofKind.length, fitting.length], goal).toEqual([4, 1]);
      expect(fitting[0]).toBe(wishes.product);
      expect(new Set(shelf.map(({ id }) => id)).size).toBe(SHELF);
    }
  });
});
