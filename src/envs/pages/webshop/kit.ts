import type { Demonstration } from '../../types.ts';
import type { Kit } from '../core/kit.ts';
import { webshopId } from '../options.ts';
import {
  actIn,
  BACK,
  BUY,
  clickAction,
  hasNext,
  listedOn,
  NEXT,
  openProduct,
  PREVIOUS,
  pageOf,
  type ShopPlace,
  searchAction,
  startOf,
} from './place.ts';
import { type Judgement, judge } from './reward.ts';
import { drawShop, GROUPS, type ShopTask } from './shop.ts';
import { INSTRUCTION, LEXICON, readPage, THOUGHT_LEXICON, TURN_LIMIT, thoughts } from './text.ts';

/** The reward for buying the open product with the chosen options, and its parts. */
export function judgementOf(task: ShopTask, place: ShopPlace): Judgement {
  return judge(openProduct(task, place), Object.values(place.chosen), task.wishes);
}

const scoreOf = (task: ShopTask, place: ShopPlace): number | null =>
  place.at === 'bought' ? judgementOf(task, place).reward : null;

export const webshop: Kit<ShopTask, ShopPlace> = {
  id: webshopId,
  name: 'webshop',
  turnLimit: TURN_LIMIT,
  instruction: INSTRUCTION,
  lexicon: LEXICON,
  thoughtLexicon: THOUGHT_LEXICON,
  holdout: {
    sentence:
      'Evaluation asks for combinations of product kind and properties (on the first rung, of kind, color and size) that training never asks for, and every shop is new. Each kind, property, color and size occurs in training, and such products may be on the shelves of training shops.',
    asked: 'kinds with their properties',
    worlds: 'shops',
  },
  draw: drawShop,
  start: startOf,
  act: actIn,
  read: (task, place) => readPage(task, place, scoreOf(task, place) ?? 0),
  score: scoreOf,
  actions: (task, place) => [
    ...(place.at === 'search' ? searchesFor(task) : []),
    ...pageOf(task, place).nodes.flatMap(({ name, leads }) =>
      leads === undefined ? [] : clickAction(name),
    ),
  ],
  advise,
};

/** Searches for the kind, alone and with the requested properties. */
function searchesFor({ kind, wishes }: ShopTask): readonly string[] {
  return [
    ...new Set([kind, ...wishes.attributes.map((a) => `${kind} ${a}`), queryFor(kind, wishes)]),
  ].map(searchAction);
}

const queryFor = (kind: string, { attributes }: Pick<ShopTask['wishes'], 'attributes'>): string =>
  [kind, ...attributes].join(' ');

/** Whether nothing read so far rules a product out. */
function mayFit(task: ShopTask, { opened, studied }: ShopPlace, item: number): boolean {
  const product = task.shelf[item];
  if (product === undefined) return false;
  const { wishes, wanted, kind, telling } = task;
  const known = telling || studied.includes(item);
  return (
    product.query === kind &&
    product.price <= wishes.bound &&
    (!known || wishes.attributes.every((wish) => product.attributes.includes(wish))) &&
    (!opened.includes(item) ||
      GROUPS.every((group) => {
        const value = wanted[group];
        return value === null || product.options[group].includes(value);
      }))
  );
}

/** Mimics a person who checks product by product. */
function advise(task: ShopTask, place: ShopPlace): Demonstration {
  switch (place.at) {
    case 'search': {
      const query = queryFor(task.kind, task.wishes);
      return { thought: `${thoughts.search} ${query}.`, action: searchAction(query) };
    }
    case 'results': {
      const item = listedOn(task, place).find((listed) => mayFit(task, place, listed));
      const product = item === undefined ? undefined : task.shelf[item];
      if (product !== undefined) {
        return { thought: `${product.id} ${thoughts.fits}`, action: clickAction(product.id) };
      }
      const way = hasNext(task, place) ? NEXT : BACK;
      return { thought: thoughts.none, action: clickAction(way) };
    }
    case 'item':
      return adviseOnItem(task, place);
    default:
      return { thought: thoughts.back, action: clickAction(PREVIOUS) };
  }
}

function adviseOnItem(task: ShopTask, place: ShopPlace): Demonstration {
  const { item } = place;
  if (item === null || !mayFit(task, place, item)) {
    return { thought: thoughts.notThis, action: clickAction(PREVIOUS) };
  }
  if (!task.telling && !place.studied.includes(item)) {
    return { thought: thoughts.features, action: clickAction('Features') };
  }
  for (const group of GROUPS) {
    const value = task.wanted[group];
    if (value !== null && place.chosen[group] !== value) {
      return { thought: `${thoughts.wanted} ${value}.`, action: clickAction(value) };
    }
  }
  return { thought: thoughts.buy, action: clickAction(BUY) };
}
