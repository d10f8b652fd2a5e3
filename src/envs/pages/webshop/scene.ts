/** The data that the view draws: the requirements, search results or the open product, and the outcome. */

import { type Desk, isPagesState, type PagesState } from '../core/episode.ts';
import { judgementOf } from './kit.ts';
import { listedOn, openProduct, type ShopPlace, type SubPage } from './place.ts';
import { GROUPS, type Group, type Product, type ShopTask } from './shop.ts';

/** A part of the goal, and whether the open product meets it; null if none is open. */
interface ShownWish {
  readonly text: string;
  readonly met: boolean | null;
}

export interface ShownProduct {
  readonly id: string;
  readonly kind: string;
  readonly brand: string;
  readonly attributes: readonly string[];
  /** Dollars. */
  readonly price: number;
  /** The color to draw; null if the product has none. */
  readonly color: string | null;
  /** Whether it was opened before. */
  readonly seen: boolean;
}

export interface ShownOptions {
  readonly group: Group;
  readonly values: readonly { readonly text: string; readonly chosen: boolean }[];
}

export interface ShopScene {
  readonly wishes: readonly ShownWish[];
  readonly at: ShopPlace['at'];
  /** The address of the page. */
  readonly address: string;
  /** The last action, and whether it was understood; null at the start. */
  readonly last: { readonly said: string; readonly understood: boolean } | null;
  /** The results on the open page; empty on other pages. */
  readonly shelf: readonly ShownProduct[];
  readonly results: { readonly page: number; readonly more: boolean };
  /** The product that is open or was bought. */
  readonly product: ShownProduct | null;
  readonly options: readonly ShownOptions[];
  /** The text of a sub-page. */
  readonly sheet: { readonly title: SubPage; readonly lines: readonly string[] } | null;
  readonly turn: number;
  readonly turnLimit: number;
  /** From 0 to 1; null before the purchase. */
  readonly reward: number | null;
  /** The correct product, once the episode has ended without it. */
  readonly truth: ShownProduct | null;
  readonly outcome: 'running' | 'success' | 'missed' | 'out of turns';
}

export { isPagesState };

export function shopScene(desk: Desk<ShopTask, ShopPlace>, state: PagesState): ShopScene {
  const { task, turns, place, score, over } = desk.read(state);
  const last = turns.at(-1);
  const product = place.item === null ? null : openProduct(task, place);
  const outcome =
    score === 1 ? 'success' : score !== null ? 'missed' : over ? 'out of turns' : 'running';
  return {
    wishes: wishesOf(task, place),
    at: place.at,
    address: addressOf(place, product),
    last: last === undefined ? null : { said: presentable(last.text), understood: last.understood },
    shelf:
      place.at === 'results'
        ? listedOn(task, place).flatMap((item) => {
            const listed = task.shelf[item];
            return listed === undefined
              ? []
              : shown(listed, task.telling, place.opened.includes(item), null);
          })
        : [],
    results: { page: place.page, more: place.at === 'results' },
    product:
      product === null
        ? null
        : shown(
            product,
            task.telling || place.studied.includes(place.item ?? -1),
            true,
            place.chosen.color ?? product.options.color[0] ?? null,
          ),
    options: product === null ? [] : optionsOf(product, place),
    sheet: sheetOf(place, product),
    turn: turns.length,
    turnLimit: desk.kit.turnLimit,
    reward: score,
    truth:
      outcome === 'missed' || outcome === 'out of turns'
        ? shown(task.wishes.product, true, true, null)
        : null,
    outcome,
  };
}

/** Replaces control characters and lone surrogates, which a page cannot show, with spaces. */
const presentable = (text: string): string =>
  text.trim() === '' ? '(nothing)' : text.replace(/[\p{Cc}\p{Cs}]/gu, ' ');

/** The kind, the properties, the options and the price, in the order of the goal. */
function wishesOf(task: ShopTask, place: ShopPlace): readonly ShownWish[] {
  const { wishes, kind } = task;
  const judged = place.item === null ? null : judgementOf(task, place);
  const option = place.at === 'item' || place.at === 'bought';
  return [
    { text: kind, met: judged === null ? null : judged.type === 1 },
    ...wishes.attributes.map((text, i) => {
      const isRevealed = task.telling || place.studied.includes(place.item ?? -1);
      return {
        text,
        met: isRevealed || place.at === 'bought' ? (judged?.attributes[i] ?? null) : null,
      };
    }),
    ...wishes.options.map((text, i) => ({
      text,
      met: option ? (judged?.options[i] ?? null) : null,
    })),
    ...(Number.isFinite(wishes.bound)
      ? [{ text: `below $${wishes.bound}`, met: judged?.price ?? null }]
      : []),
  ];
}

function addressOf({ at, query, page }: ShopPlace, product: Product | null): string {
  switch (at) {
    case 'search':
      return 'shop';
    case 'results':
      return `shop/search/${presentable(query ?? '').slice(0, 60)}/${page}`;
    case 'item':
      return `shop/${product?.id ?? ''}`;
    case 'bought':
      return 'shop/thank-you';
    default:
      return `shop/${product?.id ?? ''}/${at.toLowerCase()}`;
  }
}

function shown(
  { id, query, brand, attributes, price, options }: Product,
  telling: boolean,
  seen: boolean,
  color: string | null,
): ShownProduct {
  const drawn = color ?? (seen ? (options.color[0] ?? null) : null);
  return {
    id,
    kind: query,
    brand,
    attributes: telling ? attributes : [],
    price,
    color: drawn,
    seen,
  };
}

function optionsOf({ options }: Product, { chosen }: ShopPlace): readonly ShownOptions[] {
  return GROUPS.filter((group) => options[group].length > 0).map((group) => ({
    group,
    values: options[group].map((text) => ({ text, chosen: chosen[group] === text })),
  }));
}

function sheetOf({ at }: ShopPlace, product: Product | null): ShopScene['sheet'] {
  if (product === null) return null;
  if (at === 'Features') return { title: at, lines: product.features };
  if (at === 'Description') return { title: at, lines: [product.description] };
  return at === 'Reviews' ? { title: at, lines: ['There are no reviews.'] } : null;
}

/** Text description of the scene for screen readers. */
export function describeScene(scene: ShopScene): string {
  const { wishes, last, at, shelf, product, options, sheet, turn, turnLimit } = scene;
  const sentences = [`Wanted: ${wishes.map(({ text }) => text).join(', ')}.`];
  if (last !== null) {
    const what = last.understood ? 'Last action' : 'Not understood';
    sentences.push(`${what}: ${last.said}.`);
  }
  if (at === 'search') sentences.push('The page has a search box.');
  if (at === 'results') {
    const items = shelf.map((one) => `${one.id} ${titleOf(one)} for $${one.price}`);
    sentences.push(
      items.length === 0 ? 'Nothing was found.' : `Search results: ${items.join('; ')}.`,
    );
  }
  if (product !== null && at !== 'bought') {
    sentences.push(`Open: ${product.id} ${titleOf(product)} for $${product.price}.`);
    const chosen = options.flatMap(({ values }) => values.filter((value) => value.chosen));
    if (chosen.length > 0) sentences.push(`Chosen: ${chosen.map(({ text }) => text).join(', ')}.`);
  }
  if (sheet !== null) sentences.push(`${sheet.title}: ${sheet.lines.join(', ')}.`);
  if (scene.reward !== null && product !== null) {
    sentences.push(`Bought ${product.id}; the reward is ${scene.reward.toFixed(2)}.`);
  }
  if (scene.outcome === 'out of turns') sentences.push('No turns are left.');
  if (scene.truth !== null) sentences.push(`${scene.truth.id} was the correct product.`);
  sentences.push(`Turn ${turn} of ${turnLimit}.`);
  return sentences.join(' ');
}

export const titleOf = ({ brand, kind, attributes }: ShownProduct): string => {
  const [quality, detail] = attributes;
  return `${quality === undefined ? kind : `${quality} ${kind} with ${detail}`} by ${brand}`;
};
