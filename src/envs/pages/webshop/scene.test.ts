import { describe, expect, it } from 'vitest';
import type { PagesState } from '../core/episode.ts';
import { families } from '../index.ts';
import { shopDesk } from '../kits.ts';
import { webshopId } from '../options.ts';
import { iconOf } from './icons.ts';
import { describeScene, isPagesState, type ShopScene, shopScene } from './scene.ts';
import { DEPARTMENTS } from './words.ts';

/** The scenes of an episode, including the start; the expert acts once the given actions are used up. */
function scenes(rung: string, task: string, said: readonly string[] = []): ShopScene[] {
  const environment = families.find(({ id }) => id === webshopId)?.create({ rung });
  if (environment === undefined) throw new Error('there is no web shop');
  const desk = shopDesk({ rung });
  let { state } = environment.reset(task);
  const drawn = [shopScene(desk, state)];
  for (let turn = 0, over = false; !over; turn++) {
    const text = said[turn] ?? environment.expert(state).action;
    ({ state, terminated: over } = environment.step(state, text));
    drawn.push(shopScene(desk, state));
  }
  return drawn;
}

const wishes = (scene: ShopScene | undefined) => scene?.wishes.map(({ text, met }) => [text, met]);

describe('WebShop scene', () => {
  it('shows the search results, the open product with its options, and which requirements it meets', () => {
    const [shelf, open, chosen, bought] = scenes('two', 'webshop_1', ['click[B09]']);
    expect(shelf?.shelf.map(({ id, price, color }) => [id, price, color])).toEqual([
      ['B01', 44, null],
      ['B07', 9, null],
      ['B09', 39, null],
      ['B11', 79, null],
    ]);
    expect(wishes(shelf)).toEqual([
      ['bird feeders', null],
      ['silver trim', null],
      ['blue', null],
      ['below $60', null],
    ]);
    expect(open).toMatchObject({ address: 'shop/B09', product: { color: 'black' } });
    expect(wishes(open)?.map(([, met]) => met)).toEqual([true, true, false, true]);
    expect(chosen?.product?.color).toBe('blue');
    expect(chosen?.options[0]?.values.filter((value) => value.chosen)).toEqual([
      { text: 'blue', chosen: true },
    ]);
    expect(bought).toMatchObject({ outcome: 'success', reward: 1, truth: null, turn: 3 });
  });

  it('shows attributes only after the agent reads them', () => {
    const drawn = scenes('four', 'webshop_1');
    const open = drawn.find(({ at }) => at === 'item');
    const features = drawn.find(({ at }) => at === 'Features');
    expect(open?.product?.attributes).toEqual([]);
    expect(open?.wishes[1]?.met).toBeNull();
    expect(features?.sheet?.lines[1]).toBe('easy clean');
    expect(features?.wishes[1]?.met).toBe(true);
  });

  it('shows the correct product after a wrong purchase', () => {
    const missed = scenes('two', 'webshop_1', ['click[B11]', 'dance\u0007', 'click[Buy Now]']);
    expect(missed[2]?.last).toEqual({ said: 'dance ', understood: false });
    expect(missed.at(-1)).toMatchObject({ outcome: 'missed', truth: { id: 'B09' } });
    const idle = scenes('two', 'webshop_1', Array<string>(20).fill('wait'));
    expect(idle.at(-1)).toMatchObject({ outcome: 'out of turns', reward: null });
  });

  it('has a text description', () => {
    const [shelf, open, chosen, bought] = scenes('two', 'webshop_1', ['click[B09]']).map(
      describeScene,
    );
    expect(shelf).toMatch(
      /^Wanted: bird feeders, silver trim, blue, below \$60\. Search results: B01 /,
    );
    expect(open).toContain(
      'Last action: click[B09]. Open: B09 easy clean bird feeders with silver trim by Kestra for $39.',
    );
    expect(chosen).toContain('Chosen: blue.');
    expect(bought).toContain('Bought B09; the reward is 1.00. Turn 3 of 20.');
  });

  it('has an icon for every kind of product', () => {
    for (const { kinds } of DEPARTMENTS) {
      for (const { text } of kinds) expect(iconOf(text), text).toMatch(/^M/);
    }
  });
});

describe('isPagesState', () => {
  it('accepts valid states and rejects other values', () => {
    const state: PagesState = { task: 3, said: ['click[B01]'] };
    expect(isPagesState(state)).toBe(true);
    const others: readonly unknown[] = [
      ...[null, 3, {}, { task: 3 }, { task: -1, said: [] }, { task: 4096, said: [] }],
      ...[
        { task: 3, said: [4] },
        { task: 3, said: ['a'.repeat(2000)] },
      ],
      { task: 3, said: Array(200).fill('') },
    ];
    for (const other of others) expect(isPagesState(other)).toBe(false);
  });
});
