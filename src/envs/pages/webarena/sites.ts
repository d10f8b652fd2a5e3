/** The pages of the five sites as functions of their content, their records and an address. */

import type { Page, PageNode, Role } from '../core/page.ts';
import { searchIndex } from '../core/search.ts';
import {
  dollars,
  HOME,
  kilometres,
  LABELS,
  orderName,
  SITE_TITLES,
  SITES,
  type Site,
} from './labels.ts';
import { frontTab, hereOf, openAddress, type WebPlace, withFront } from './place.ts';
import {
  ARTICLES,
  BOARD_COUNT,
  CATEGORIES,
  MOST_STOCK,
  ORDERS,
  POSTS,
  PRODUCTS,
  type Records,
  type Status,
  type World,
  withAt,
} from './world.ts';

export type WebNode = PageNode<WebPlace> & {
  /** The text in a box. */
  readonly value?: string;
  /** The place after pressing Enter in a box. */
  readonly enter?: (text: string) => WebPlace;
};
type WebPage = Page<WebPlace> & { readonly nodes: readonly WebNode[] };

/** Maximum number of search results. */
const MOST_RESULTS = 5;

/** Parses `shop/product/3` into the site, the kind of page and its numbers. */
function readPath(path: string): { site: string; page: string; numbers: readonly number[] } {
  const [site = '', page = '', ...rest] = path.split('/');
  return { site, page, numbers: rest.map((part) => (/^\d{1,2}$/.test(part) ? Number(part) : -1)) };
}

/** The page in the front tab. */
export function pageOf(world: World, place: WebPlace): WebPage {
  const { path } = hereOf(place);
  const { site, page, numbers } = readPath(path);
  const view = PATHS.has(path) ? siteViews[site]?.[page] : undefined;
  const shown = view?.({ world, place, records: place.records, numbers }) ?? null;
  return shown ?? missing(place);
}

/** The inputs of a page. */
interface Request {
  readonly world: World;
  readonly place: WebPlace;
  readonly records: Records;
  readonly numbers: readonly number[];
}

/** A page; null if this address has none. */
type View = (request: Request) => WebPage | null;

// --- Parts of pages -----------------------------------------------------------------------------

const text = (name: string): WebNode => ({ role: 'StaticText', name });
const heading = (name: string): WebNode => ({ role: 'heading', name });

function link(place: WebPlace, name: string, path: string): WebNode {
  return { role: 'link', name, leads: () => openAddress(place, { path }) };
}

function fact(label: string, value: string): readonly WebNode[] {
  return [text(label), text(value)];
}

/** A button that changes the records and stays on the page. */
function button(place: WebPlace, name: string, change: (records: Records) => Records): WebNode {
  return {
    role: 'button',
    name,
    leads: () => {
      const records = change(place.records);
      return withFront({ ...place, records }, { ...frontTab(place), typed: {} });
    },
  };
}

/** A box to type into. */
function box(place: WebPlace, name: string, value = ''): WebNode {
  const typed = frontTab(place).typed[name];
  return {
    role: 'textbox' satisfies Role,
    name,
    note: 'required: False',
    value: typed ?? value,
  };
}

/** A search box that searches on Enter, and a button with the same effect. */
function searchBox(place: WebPlace, site: Site): readonly WebNode[] {
  const search = (query: string) => openAddress(place, { path: `${site}/search`, query });
  return [
    { ...box(place, LABELS.search), enter: search },
    {
      role: 'button',
      name: LABELS.search,
      leads: () => search(frontTab(place).typed[LABELS.search] ?? ''),
    },
  ];
}

/** A page of a site, with links to the home page and to the site's first page. */
function page(place: WebPlace, site: Site, title: string, nodes: readonly WebNode[]): WebPage {
  return {
    title,
    nodes: [
      link(place, LABELS.home, HOME),
      link(place, SITE_TITLES[site], site),
      heading(title),
      ...nodes,
    ],
  };
}

const missing = (place: WebPlace): WebPage => ({
  title: LABELS.notFound,
  nodes: [link(place, LABELS.home, HOME), text(LABELS.notFound)],
});

// Cached, because a page of results is built several times per turn.
const indexes = new WeakMap<World, Map<Site, ReturnType<typeof searchIndex>>>();

/** Searches the names of a site, as the WebShop environment searches products. */
function found(
  world: World,
  site: Site,
  names: readonly string[],
  query: string | undefined,
): readonly number[] {
  if (query === undefined) return [];
  const ofWorld = indexes.get(world) ?? new Map<Site, ReturnType<typeof searchIndex>>();
  indexes.set(world, ofWorld);
  const index = ofWorld.get(site) ?? searchIndex(names.map((name) => ({ name })));
  ofWorld.set(site, index);
  return index(query, MOST_RESULTS);
}

function results(
  { world, place }: Request,
  site: Site,
  names: readonly string[],
  pathOf: (n: number) => string,
): WebPage {
  const hits = found(world, site, names, hereOf(place).query);
  return page(place, site, LABELS.results, [
    ...searchBox(place, site),
    ...(hits.length === 0
      ? [text(LABELS.nothing)]
      : hits.map((n) => link(place, names[n] ?? '', pathOf(n)))),
  ]);
}

// --- The sites ----------------------------------------------------------------------------------

export const paths = {
  category: (n: number) => `shop/category/${n}`,
  product: (n: number) => `shop/product/${n}`,
  cart: 'shop/cart',
  orders: 'shop/orders',
  order: (n: number) => `shop/order/${n}`,
  adminProducts: 'admin/products',
  adminProduct: (n: number) => `admin/product/${n}`,
  adminOrders: 'admin/orders',
  adminOrder: (n: number) => `admin/order/${n}`,
  board: (n: number) => `forum/board/${n}`,
  post: (n: number) => `forum/post/${n}`,
  article: (n: number) => `wiki/article/${n}`,
  town: (n: number) => `map/town/${n}`,
  route: (a: number, b: number) => `map/route/${a}/${b}`,
} as const;

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

/** Every possible address. */
export const PATHS: ReadonlySet<string> = new Set([
  ...[HOME, ...SITES, paths.cart, paths.orders, paths.adminProducts, paths.adminOrders],
  ...(['shop', 'forum', 'wiki', 'map'] as const).map((site) => `${site}/search`),
  ...upTo(CATEGORIES).map(paths.category),
  ...upTo(PRODUCTS).flatMap((n) => [paths.product(n), paths.adminProduct(n)]),
  ...upTo(ORDERS).flatMap((n) => [paths.order(n), paths.adminOrder(n)]),
  ...upTo(BOARD_COUNT).map(paths.board),
  ...upTo(POSTS).map(paths.post),
  ...upTo(ARTICLES).flatMap((n) => [
    ...[paths.article(n), paths.town(n)],
    ...upTo(ARTICLES).flatMap((other) => (other === n ? [] : paths.route(n, other))),
  ]),
]);

const home: View = ({ place }) => ({
  title: LABELS.home,
  nodes: [heading(LABELS.home), ...SITES.map((site) => link(place, SITE_TITLES[site], site))],
});

const shop: Readonly<Record<string, View>> = {
  '': ({ world, place }) =>
    page(place, 'shop', SITE_TITLES.shop, [
      ...searchBox(place, 'shop'),
      ...world.categories.map((name, n) => link(place, name, paths.category(n))),
      link(place, LABELS.cart, paths.cart),
      link(place, LABELS.orders, paths.orders),
    ]),
  category({ world, place, numbers: [n = -1] }) {
    const name = world.categories[n];
    if (name === undefined) return null;
    const items = world.products.flatMap(({ name, category }, i) =>
      category === n ? link(place, name, paths.product(i)) : [],
    );
    return page(place, 'shop', name, items);
  },
  product({ world, place, records, numbers: [n = -1] }) {
    const product = world.products[n];
    if (product === undefined) return null;
    return page(place, 'shop', product.name, [
      ...fact(LABELS.price, dollars(records.prices[n] ?? 0)),
      ...fact(LABELS.stock, String(records.stock[n] ?? 0)),
      button(place, LABELS.addToCart, (kept) => ({ ...kept, cart: [...kept.cart, n] })),
    ]);
  },
  search: (request) =>
    results(
      request,
      'shop',
      request.world.products.map(({ name }) => name),
      paths.product,
    ),
  cart: ({ world, place, records }) =>
    page(
      place,
      'shop',
      LABELS.cart,
      records.cart.map((n) => link(place, world.products[n]?.name ?? '', paths.product(n))),
    ),
  orders: ({ world, place }) =>
    page(
      place,
      'shop',
      LABELS.orders,
      world.orders.map(({ number }, n) => link(place, orderName(number), paths.order(n))),
    ),
  order: (request) => orderPage(request, 'shop'),
};

/** An order, as its customer and the back office see it. */
function orderPage(
  { world, place, records, numbers: [n = -1] }: Request,
  site: Site,
): WebPage | null {
  const order = world.orders[n];
  if (order === undefined) return null;
  const status = records.statuses[n] ?? 'pending';
  const becomes = (name: string, next: Status): readonly WebNode[] =>
    status === 'pending'
      ? [
          button(place, name, (kept) => ({
            ...kept,
            statuses: withAt(kept.statuses, n, next),
          })),
        ]
      : [];
  return page(place, site, orderName(order.number), [
    ...fact(LABELS.product, world.products[order.product]?.name ?? ''),
    ...fact(LABELS.customer, order.customer),
    ...fact(LABELS.status, status),
    ...(site === 'admin' ? becomes(LABELS.ship, 'shipped') : []),
    ...becomes(LABELS.cancel, 'cancelled'),
  ]);
}

/** A price or a quantity; null for any other text. */
function readNumber(typed: string | undefined, most: number): number | null {
  if (typed === undefined) return null;
  const value = /^\$?(\d{1,3})(\.00)?$/.exec(typed)?.[1];
  return value !== undefined && Number(value) <= most ? Number(value) : null;
}

const MOST_PRICE = 99;

const admin: Readonly<Record<string, View>> = {
  '': ({ place }) =>
    page(place, 'admin', SITE_TITLES.admin, [
      link(place, LABELS.products, paths.adminProducts),
      link(place, LABELS.orders, paths.adminOrders),
    ]),
  products: ({ world, place }) =>
    page(
      place,
      'admin',
      LABELS.products,
      world.products.map(({ name }, n) => link(place, name, paths.adminProduct(n))),
    ),
  product({ world, place, records, numbers: [n = -1] }) {
    const product = world.products[n];
    if (product === undefined) return null;
    const [price = 0, stock = 0] = [records.prices[n], records.stock[n]];
    const { typed } = frontTab(place);
    return page(place, 'admin', product.name, [
      box(place, LABELS.price, dollars(price)),
      box(place, LABELS.stock, String(stock)),
      button(place, LABELS.save, (kept) => ({
        ...kept,
        prices: withAt(kept.prices, n, readNumber(typed[LABELS.price], MOST_PRICE) ?? price),
        stock: withAt(kept.stock, n, readNumber(typed[LABELS.stock], MOST_STOCK) ?? stock),
      })),
    ]);
  },
  orders: ({ world, place }) =>
    page(
      place,
      'admin',
      LABELS.orders,
      world.orders.map(({ number }, n) => link(place, orderName(number), paths.adminOrder(n))),
    ),
  order: (request) => orderPage(request, 'admin'),
};

/** Maximum number of comments on a post; more are rejected. */
const MOST_COMMENTS = 6;

const forum: Readonly<Record<string, View>> = {
  '': ({ world, place }) =>
    page(place, 'forum', SITE_TITLES.forum, [
      ...searchBox(place, 'forum'),
      ...world.boards.map((name, n) => link(place, name, paths.board(n))),
    ]),
  board({ world, place, numbers: [n = -1] }) {
    const name = world.boards[n];
    if (name === undefined) return null;
    const posts = world.posts.flatMap(({ title, board }, i) =>
      board === n ? link(place, title, paths.post(i)) : [],
    );
    return page(place, 'forum', name, posts);
  },
  post({ world, place, records, numbers: [n = -1] }) {
    const post = world.posts[n];
    if (post === undefined) return null;
    const comments = records.comments[n] ?? [];
    const written = (frontTab(place).typed[LABELS.comment] ?? '').trim();
    const full = comments.length >= MOST_COMMENTS;
    return page(place, 'forum', post.title, [
      ...fact(LABELS.author, post.author),
      ...fact(LABELS.votes, String(records.votes[n] ?? 0)),
      ...(records.voted[n] === true
        ? []
        : [
            button(place, LABELS.upvote, (kept) => ({
              ...kept,
              votes: withAt(kept.votes, n, (kept.votes[n] ?? 0) + 1),
              voted: withAt(kept.voted, n, true),
            })),
          ]),
      ...fact(LABELS.comments, String(comments.length)),
      ...comments.map(text),
      box(place, LABELS.comment),
      button(place, LABELS.send, (kept) =>
        written === '' || full
          ? kept
          : { ...kept, comments: withAt(kept.comments, n, [...comments, written]) },
      ),
    ]);
  },
  search: (request) =>
    results(
      request,
      'forum',
      request.world.posts.map(({ title }) => title),
      paths.post,
    ),
};

const townNames = ({ articles }: World): readonly string[] => articles.map(({ town }) => town);

const wiki: Readonly<Record<string, View>> = {
  '': ({ world, place }) =>
    page(place, 'wiki', SITE_TITLES.wiki, [
      ...searchBox(place, 'wiki'),
      ...townNames(world).map((town, n) => link(place, town, paths.article(n))),
    ]),
  article({ world, place, numbers: [n = -1] }) {
    const article = world.articles[n];
    if (article === undefined) return null;
    const others = townNames(world).flatMap((town, i) =>
      i === n ? [] : link(place, town, paths.article(i)),
    );
    return page(place, 'wiki', article.town, [
      ...fact(LABELS.mayor, article.mayor),
      ...fact(LABELS.river, article.river),
      ...fact(LABELS.founded, String(article.founded)),
      ...others,
      ...fact(LABELS.population, String(article.population)),
      ...fact(LABELS.craft, world.products[article.craft]?.name ?? ''),
    ]);
  },
  search: (request) => results(request, 'wiki', townNames(request.world), paths.article),
};

const map: Readonly<Record<string, View>> = {
  '': ({ world, place }) =>
    page(place, 'map', SITE_TITLES.map, [
      ...searchBox(place, 'map'),
      ...townNames(world).map((town, n) => link(place, town, paths.town(n))),
    ]),
  town({ world, place, numbers: [n = -1] }) {
    const town = townNames(world)[n];
    if (town === undefined) return null;
    const others = townNames(world).flatMap((other, i) =>
      i === n ? [] : link(place, other, paths.route(n, i)),
    );
    return page(place, 'map', town, [text(LABELS.to), ...others]);
  },
  route({ world, place, numbers: [a = -1, b = -1] }) {
    const [from, to] = [townNames(world)[a], townNames(world)[b]];
    if (from === undefined || to === undefined) return null;
    return page(place, 'map', SITE_TITLES.map, [
      text(from),
      text(to),
      ...fact(LABELS.distance, kilometres(world.distances[a]?.[b] ?? 0)),
    ]);
  },
  search: (request) => results(request, 'map', townNames(request.world), paths.town),
};

const siteViews: Readonly<Record<string, Readonly<Record<string, View>>>> = {
  [HOME]: { '': home },
  ...{ shop, admin, forum, wiki, map },
};
