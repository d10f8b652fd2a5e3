/** The shop's pages as a function of the agent's place, and the effects of actions. */

import type { Acted } from '../core/kit.ts';
import { type Page, type PageNode, say } from '../core/page.ts';
import { searchIndex } from '../core/search.ts';
import { GROUPS, type Group, type Product, type ShopTask } from './shop.ts';

type PageName = 'search' | 'results' | 'item' | SubPage | 'bought';
export const SUB_PAGES = ['Description', 'Features', 'Reviews'] as const;
export type SubPage = (typeof SUB_PAGES)[number];

export interface ShopPlace {
  readonly at: PageName;
  /** The words of the last search; null before the first. */
  readonly query: string | null;
  /** Page of the results, from 1. */
  readonly page: number;
  /** The index of the product that is open or was bought. */
  readonly item: number | null;
  readonly chosen: Readonly<Partial<Record<Group, string>>>;
  /** Products whose page was read, and those whose features were read. */
  readonly opened: readonly number[];
  readonly studied: readonly number[];
  /** Why the last text had no effect; null if it had one. */
  readonly problem: Problem | null;
}

/** Why a text has no effect, as worded in observations. */
export const problems = {
  format: 'Invalid action: write search[words] or click[text].',
  search: 'Invalid action: only the page with Search takes a search.',
  click: 'Invalid action: nothing on this page has this text.',
} as const;
export type Problem = keyof typeof problems;

/** Maximum number of search results, and results per page. */
export const MOST_RESULTS = 12;
const RESULTS_A_PAGE = 4;
export const MOST_PAGES = MOST_RESULTS / RESULTS_A_PAGE;

export const BACK = 'Back to Search';
export const PREVIOUS = '< Prev';
export const NEXT = 'Next >';
export const BUY = 'Buy Now';
export const SEARCH = 'Search';
export const RATING = 'Rating: N.A.';
export const NO_REVIEWS = 'There are no reviews.';
export const CHOSEN = '(chosen)';

export const dollars = (price: number): string => `$${price.toFixed(1)}`;

export const searchAction = (words: string): string => `search[${words}]`;
export const clickAction = (text: string): string => `click[${text}]`;

export function startOf({ start, kind, shelf, wishes }: ShopTask): ShopPlace {
  const begun: ShopPlace = {
    ...{ at: start, query: start === 'search' ? null : kind, page: 1, item: null },
    ...{ chosen: {}, opened: [], studied: [], problem: null },
  };
  if (start !== 'item') return begun;
  const item = shelf.indexOf(wishes.product);
  return { ...begun, item, opened: [item] };
}

// --- Searching ----------------------------------------------------------------------------------

// Caches results, which are small; a task issues few queries.
const remembered = new WeakMap<ShopTask, Map<string, readonly number[]>>();
const MOST_REMEMBERED = 50;

// Building an index takes less than a millisecond.
const indexes = new Map<ShopTask, ReturnType<typeof searchIndex>>();
const MOST_INDEXES = 256;

function indexOf(task: ShopTask): ReturnType<typeof searchIndex> {
  let index = indexes.get(task);
  if (index === undefined) {
    if (indexes.size >= MOST_INDEXES) indexes.clear();
    index = searchIndex(
      task.shelf.map(({ title, description, features, options }) => ({
        title,
        description,
        feature: features[0] ?? '',
        options: [...options.color, ...options.size].join(' '),
      })),
    );
    indexes.set(task, index);
  }
  return index;
}

/** Shelf indices of the last search's results, best first. */
function resultsOf(task: ShopTask, { query }: ShopPlace): readonly number[] {
  if (query === null) return [];
  const queries = remembered.get(task) ?? new Map<string, readonly number[]>();
  let found = queries.get(query);
  if (found === undefined) {
    found = indexOf(task)(query, MOST_RESULTS);
    if (queries.size >= MOST_REMEMBERED) queries.clear();
    queries.set(query, found);
    remembered.set(task, queries);
  }
  return found;
}

/** The results on the open page. */
export function listedOn(task: ShopTask, place: ShopPlace): readonly number[] {
  const from = (place.page - 1) * RESULTS_A_PAGE;
  return resultsOf(task, place).slice(from, from + RESULTS_A_PAGE);
}

export const hasNext = (task: ShopTask, place: ShopPlace): boolean =>
  resultsOf(task, place).length > place.page * RESULTS_A_PAGE;

/** The open product. Throws a RangeError if there is none. */
export function openProduct({ shelf }: ShopTask, { item }: ShopPlace): Product {
  const product = item === null ? undefined : shelf[item];
  if (product === undefined) throw new RangeError('no product is open');
  return product;
}

// --- Pages --------------------------------------------------------------------------------------

export function pageOf(task: ShopTask, place: ShopPlace): Page<ShopPlace> {
  switch (place.at) {
    case 'search':
      return { title: 'WebShop', nodes: [say(SEARCH)] };
    case 'results':
      return { title: 'Results', nodes: resultNodes(task, place) };
    case 'item':
      return { title: openProduct(task, place).title, nodes: itemNodes(task, place) };
    case 'Description':
    case 'Features':
    case 'Reviews': {
      const product = openProduct(task, place);
      return {
        title: place.at,
        nodes: [
          backTo(place),
          link(PREVIOUS, () => ({ ...place, at: 'item' })),
          ...subPageNodes(product, place.at),
        ],
      };
    }
    case 'bought':
      return { title: 'Thank you', nodes: [] };
    default:
      return place.at satisfies never;
  }
}

type Node = PageNode<ShopPlace>;

const link = (name: string, leads: () => ShopPlace): Node => ({ role: 'link', name, leads });

const backTo = (place: ShopPlace): Node =>
  link(BACK, () => ({ ...place, at: 'search', item: null, chosen: {} }));

function resultNodes(task: ShopTask, place: ShopPlace): readonly Node[] {
  const turned = (by: number) => () => ({ ...place, page: place.page + by });
  const total = resultsOf(task, place).length;
  return [
    backTo(place),
    say(`Page ${place.page} (Total results: ${total})`),
    ...(place.page > 1 ? [link(PREVIOUS, turned(-1))] : []),
    ...(hasNext(task, place) ? [link(NEXT, turned(1))] : []),
    ...listedOn(task, place).flatMap((item) => {
      const product = task.shelf[item];
      if (product === undefined) return [];
      return [
        link(product.id, () => ({
          ...place,
          ...{ at: 'item', item, chosen: {} },
          opened: withItem(place.opened, item),
        })),
        say(product.title),
        say(dollars(product.price)),
      ];
    }),
  ];
}

function itemNodes(task: ShopTask, place: ShopPlace): readonly Node[] {
  const product = openProduct(task, place);
  const groups = GROUPS.filter((group) => product.options[group].length > 0);
  return [
    backTo(place),
    // The results are unchanged, and the chosen options are cleared.
    link(PREVIOUS, () => ({ ...place, at: 'results', item: null, chosen: {} })),
    ...groups.flatMap((group) => [
      say(group),
      ...product.options[group].map((value): Node => {
        const choose = link(value, () => ({
          ...place,
          chosen: { ...place.chosen, [group]: value },
        }));
        return place.chosen[group] === value ? { ...choose, note: CHOSEN } : choose;
      }),
    ]),
    say(product.title),
    say(`Price: ${dollars(product.price)}`),
    say(RATING),
    ...SUB_PAGES.map((name) =>
      link(name, () => ({
        ...place,
        at: name,
        studied:
          name === 'Features' && place.item !== null
            ? withItem(place.studied, place.item)
            : place.studied,
      })),
    ),
    link(BUY, () => ({ ...place, at: 'bought' })),
  ];
}

const withItem = (items: readonly number[], item: number): readonly number[] =>
  items.includes(item) ? items : [...items, item];

function subPageNodes({ description, features }: Product, page: SubPage): readonly Node[] {
  if (page === 'Description') return [say(description)];
  return page === 'Features' ? features.map(say) : [say(NO_REVIEWS)];
}

// --- Actions ------------------------------------------------------------------------------------

/** Parses `search[words]` and `click[text]`; null for any other text. */
function readAction(
  text: string,
): { readonly name: 'search' | 'click'; readonly of: string } | null {
  const name = text.startsWith('search[') ? 'search' : text.startsWith('click[') ? 'click' : null;
  if (name === null || !text.endsWith(']')) return null;
  const of = text.slice(name.length + 1, -1);
  return of.trim() === '' ? null : { name, of };
}

export function actIn(task: ShopTask, place: ShopPlace, text: string): Acted<ShopPlace> {
  const action = text.length > MAX_ACTION ? null : readAction(text);
  const refused = (problem: Problem) => ({ place: { ...place, problem }, understood: false });
  if (action === null) return refused('format');
  if (action.name === 'search') {
    if (place.at !== 'search') return refused('search');
    const found: ShopPlace = { ...place, at: 'results', query: action.of, page: 1, problem: null };
    return { place: found, understood: true };
  }
  const wanted = action.of.toLowerCase();
  const node = pageOf(task, place).nodes.find(
    ({ name, leads }) => leads !== undefined && name.toLowerCase() === wanted,
  );
  if (node?.leads === undefined) return refused('click');
  return { place: { ...node.leads(), problem: null }, understood: true };
}

/** Maximum length of an action. */
const MAX_ACTION = 1000;
