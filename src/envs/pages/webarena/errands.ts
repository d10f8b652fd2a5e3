/** Templates of errands: what the agent is asked to do, and which pages and actions it takes. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { oneOf } from '../../draws.ts';
import type { Rung } from '../core/kit.ts';
import { DEPARTMENTS, PRICES } from '../webshop/words.ts';
import { dollars, kilometres, LABELS, orderName } from './labels.ts';
import { paths } from './sites.ts';
import { DONE, IMPOSSIBLE, quoted } from './words.ts';
import { MOST_STOCK, REMARKS, type Records, type World, withAt } from './world.ts';

/** A page that has to be opened, and what to do there. */
export interface Step {
  readonly path: string;
  /** The search query to use if no link leads there. */
  readonly name: string;
  /** Whether the end of the page has to be read. */
  readonly whole?: boolean;
  /** A box to fill and a button to press, by their names. */
  readonly fill?: { readonly box: string; readonly text: string };
  readonly press?: string;
}

export interface Errand {
  readonly objective: string;
  /** The paths of the open tabs, with the first one in front. */
  readonly start: readonly string[];
  readonly steps: readonly Step[];
  readonly answer: string;
  /** Whether the answer is judged, and the path of the required final page; null if any page will do. */
  readonly judged: { readonly answer: boolean; readonly path: string | null };
  /** The required records at the end. */
  readonly records: Records;
}

export interface Template {
  readonly rung: Rung;
  /** The objective's fixed phrases; each is one lexeme. */
  readonly phrases: readonly string[];
  /** An errand for given sites; null if they do not support it. */
  draw(world: World, random: RandomGenerator): Errand | null;
}

// --- Helpers for templates ----------------------------------------------------------------------

/** An errand that asks a question, which the last page answers. */
function toTell(
  { records }: World,
  objective: string,
  start: readonly string[],
  steps: readonly Step[],
  answer: string,
): Errand {
  return { objective, start, steps, answer, judged: { answer: true, path: null }, records };
}

/** An errand that asks for a change, which is judged by the records. */
function toDo(
  objective: string,
  start: readonly string[],
  steps: readonly Step[],
  records: Records,
): Errand {
  return { objective, start, steps, answer: DONE, judged: { answer: false, path: null }, records };
}

const anyOf = (list: readonly unknown[], random: RandomGenerator): number =>
  uniformInt(random, 0, list.length - 1);

/** `What is the 'Price' of 'water bottles'?` */
const WHAT = ['What is the', 'of', '?'];
const whatIs = (label: string, name: string): string =>
  `What is the ${quoted(label)} of ${quoted(name)}?`;

/** Something that has a page, with the facts on that page and the pages from which it can be reached. */
interface Subject {
  readonly name: string;
  readonly path: string;
  /** A page with a link to it, and the first page of its site. */
  readonly listed: string;
  readonly root: string;
  readonly facts: Readonly<Record<string, string>>;
}

type Choose = (world: World, random: RandomGenerator) => Subject;

const anyProduct: Choose = ({ products, records }, random) => {
  const n = anyOf(products, random);
  const { name = '', category = 0 } = products[n] ?? {};
  return {
    ...{ name, path: paths.product(n), listed: paths.category(category), root: 'shop' },
    facts: {
      [LABELS.price]: dollars(records.prices[n] ?? 0),
      [LABELS.stock]: String(records.stock[n] ?? 0),
    },
  };
};

const anyOrder: Choose = ({ orders, records }, random) => {
  const n = anyOf(orders, random);
  const { number = 0, customer = '' } = orders[n] ?? {};
  return {
    ...{ name: orderName(number), path: paths.order(n), listed: paths.orders, root: 'shop' },
    facts: { [LABELS.customer]: customer, [LABELS.status]: records.statuses[n] ?? '' },
  };
};

const anyPost: Choose = ({ posts, records }, random) => {
  const n = anyOf(posts, random);
  const { title = '', board = 0, author = '' } = posts[n] ?? {};
  return {
    ...{ name: title, path: paths.post(n), listed: paths.board(board), root: 'forum' },
    facts: { [LABELS.author]: author, [LABELS.votes]: String(records.votes[n] ?? 0) },
  };
};

const anyArticle: Choose = ({ articles }, random) => {
  const n = anyOf(articles, random);
  const article = articles[n];
  return {
    ...{ name: article?.town ?? '', path: paths.article(n), listed: 'wiki', root: 'wiki' },
    facts: {
      [LABELS.mayor]: article?.mayor ?? '',
      [LABELS.river]: article?.river ?? '',
      [LABELS.founded]: String(article?.founded),
    },
  };
};

/** Where an errand starts: on the page, on one with a link to it, or on its site's first page. */
type From = 'path' | 'listed' | 'root';

/** A question about a fact on a page. */
const question = (rung: Rung, choose: Choose, label: string, from: From): Template => ({
  rung,
  phrases: WHAT,
  draw(world, random) {
    const subject = choose(world, random);
    const { name, path } = subject;
    const answer = subject.facts[label];
    if (answer === undefined) return null;
    return toTell(world, whatIs(label, name), [subject[from]], [{ path, name }], answer);
  },
});

/** An errand to go to a page and stop there. */
const open = (choose: Choose): Template => ({
  rung: 'two',
  phrases: ['Open', '.'],
  draw(world, random) {
    const { name, path, listed } = choose(world, random);
    return {
      ...toDo(`Open ${quoted(name)}.`, [listed], [{ path, name }], world.records),
      judged: { answer: false, path },
    };
  },
});

/** An errand to press a button on a page. */
const press = (
  rung: Rung,
  phrases: readonly [string, string],
  choose: Choose,
  from: From,
  button: string,
  change: (records: Records, n: number) => Records | null,
): Template => ({
  rung,
  phrases,
  draw(world, random) {
    const subject = choose(world, random);
    const { name, path } = subject;
    const records = change(world.records, Number(path.split('/').at(-1)));
    const objective = `${phrases[0]} ${quoted(name)}${phrases[1] === '.' ? '' : ' '}${phrases[1]}`;
    return records === null
      ? null
      : toDo(objective, [subject[from]], [{ path, name, press: button }], records);
  },
});

/** An order in the back office. */
const anyOrderToKeep: Choose = (world, random) => {
  const order = anyOrder(world, random);
  return { ...order, path: order.path.replace('shop', 'admin'), root: 'admin' };
};

const pendingOnly =
  (status: 'shipped' | 'cancelled') =>
  (records: Records, n: number): Records | null =>
    records.statuses[n] === 'pending'
      ? { ...records, statuses: withAt(records.statuses, n, status) }
      : null;

const inCart = (records: Records, n: number): Records => ({
  ...records,
  cart: [...records.cart, n],
});

// --- The templates ------------------------------------------------------------------------------

/** The facts that pages state: the choice of a subject, and the label of a fact on its page. */
const facts: readonly (readonly [Choose, string])[] = [
  [anyProduct, LABELS.price],
  [anyProduct, LABELS.stock],
  [anyOrder, LABELS.customer],
  [anyOrder, LABELS.status],
  [anyPost, LABELS.author],
  [anyPost, LABELS.votes],
  [anyArticle, LABELS.mayor],
  [anyArticle, LABELS.river],
  [anyArticle, LABELS.founded],
];

const putInCart = (rung: Rung, from: From): Template =>
  press(rung, ['Put', 'into the cart.'], anyProduct, from, LABELS.addToCart, inCart);

const upvote = (rung: Rung, from: From): Template =>
  press(rung, ['Give an upvote to', '.'], anyPost, from, LABELS.upvote, (records, n) => ({
    ...records,
    votes: withAt(records.votes, n, (records.votes[n] ?? 0) + 1),
    voted: withAt(records.voted, n, true),
  }));

const ship = (rung: Rung, from: From): Template =>
  press(rung, ['Ship', '.'], anyOrderToKeep, from, LABELS.ship, pendingOnly('shipped'));

const cancel = (rung: Rung, from: From): Template =>
  press(rung, ['Cancel', '.'], anyOrderToKeep, from, LABELS.cancel, pendingOnly('cancelled'));

/** Rung one: everything happens on the open page. */
const here: readonly Template[] = [
  ...facts.map(([choose, label]) => question('one', choose, label, 'path')),
  ...[putInCart, upvote, ship, cancel].map((make) => make('one', 'path')),
];

/** Rung two: a link in a list or a search leads to the page. */
const found: readonly Template[] = [
  ...facts.map(([choose, label]) => question('two', choose, label, 'listed')),
  question('two', anyProduct, LABELS.price, 'root'),
  question('two', anyPost, LABELS.author, 'root'),
  ...[anyProduct, anyPost, anyArticle].map(open),
  ...[putInCart, upvote].map((make) => make('two', 'root')),
  {
    rung: 'two',
    phrases: WHAT,
    // Something the shop does not have.
    draw(world, random) {
      const name = oneOf(
        DEPARTMENTS.flatMap(({ kinds }) => kinds.map(({ text }) => text)),
        random,
      );
      if (world.products.some((product) => product.name === name)) return null;
      const steps = [{ path: 'shop/search', name }];
      return toTell(world, whatIs(LABELS.price, name), ['shop'], steps, IMPOSSIBLE);
    },
  },
];

/** An errand to set the price or the stock of a product in the back office. */
const set = (
  label: string,
  draw: (random: RandomGenerator) => number,
  written: (value: number) => string,
  list: 'prices' | 'stock',
): Template => ({
  rung: 'three',
  phrases: ['Set the', 'of', 'to', '.'],
  draw({ products, records }, random) {
    const n = anyOf(products, random);
    const name = products[n]?.name ?? '';
    const value = draw(random);
    if (records[list][n] === value) return null;
    const text = written(value);
    return toDo(
      `Set the ${quoted(label)} of ${quoted(name)} to ${quoted(text)}.`,
      ['admin'],
      [{ path: paths.adminProduct(n), name, fill: { box: label, text }, press: LABELS.save }],
      { ...records, [list]: withAt(records[list], n, value) },
    );
  },
});

const forms: readonly Template[] = [
  set(LABELS.price, (random) => oneOf(PRICES, random), dollars, 'prices'),
  set(LABELS.stock, (random) => uniformInt(random, 0, MOST_STOCK), String, 'stock'),
  ...[ship, cancel].map((make) => make('three', 'root')),
  {
    rung: 'three',
    phrases: ['Comment', 'on', '.'],
    draw({ posts, records }, random) {
      const n = anyOf(posts, random);
      const name = posts[n]?.title ?? '';
      const text = oneOf(REMARKS, random);
      return toDo(
        `Comment ${quoted(text)} on ${quoted(name)}.`,
        ['forum'],
        [{ path: paths.post(n), name, fill: { box: LABELS.comment, text }, press: LABELS.send }],
        {
          ...records,
          comments: withAt(records.comments, n, [...(records.comments[n] ?? []), text]),
        },
      );
    },
  },
];

/** A random article, and the product of the shop that is named at its end. */
function craftOf({ articles, products }: World, random: RandomGenerator) {
  const n = anyOf(articles, random);
  const { town = '', craft = 0 } = articles[n] ?? {};
  const name = products[craft]?.name ?? '';
  const article: Step = { path: paths.article(n), name: town, whole: true };
  return { town, craft, name, article };
}

const across: readonly Template[] = [
  {
    rung: 'four',
    phrases: ['Put what', 'is known for into the cart.'],
    draw(world, random) {
      const { town, craft, name, article } = craftOf(world, random);
      return toDo(
        `Put what ${quoted(town)} is known for into the cart.`,
        ['wiki', 'shop'],
        [article, { path: paths.product(craft), name, press: LABELS.addToCart }],
        inCart(world.records, craft),
      );
    },
  },
  {
    rung: 'four',
    phrases: ['What is the', 'of what', 'is known for?'],
    draw(world, random) {
      const { town, craft, name, article } = craftOf(world, random);
      return toTell(
        world,
        `What is the ${quoted(LABELS.price)} of what ${quoted(town)} is known for?`,
        ['wiki', 'shop'],
        [article, { path: paths.product(craft), name }],
        dollars(world.records.prices[craft] ?? 0),
      );
    },
  },
  {
    rung: 'four',
    phrases: ['Set the', 'of the product of', 'to', '.'],
    draw({ orders, products, records }, random) {
      const n = anyOf(orders, random);
      const { number = 0, product = 0 } = orders[n] ?? {};
      const name = products[product]?.name ?? '';
      const value = uniformInt(random, 0, MOST_STOCK);
      if (records.stock[product] === value) return null;
      const text = String(value);
      return toDo(
        `Set the ${quoted(LABELS.stock)} of the product of ${quoted(orderName(number))} to ${quoted(text)}.`,
        [paths.orders, 'admin'],
        [
          { path: paths.order(n), name: orderName(number) },
          {
            ...{ path: paths.adminProduct(product), name },
            ...{ fill: { box: LABELS.stock, text }, press: LABELS.save },
          },
        ],
        { ...records, stock: withAt(records.stock, product, value) },
      );
    },
  },
  {
    rung: 'four',
    phrases: ['How far is', 'from the town that', 'is the', 'of', '?'],
    draw(world, random) {
      const { articles, distances } = world;
      const [a, b] = [anyOf(articles, random), anyOf(articles, random)];
      const [from, to] = [articles[a], articles[b]];
      const alike = articles.filter(({ mayor }) => mayor === to?.mayor);
      if (from === undefined || to === undefined || a === b || alike.length > 1) return null;
      // Article by article, until one names the mayor.
      const steps = articles
        .slice(0, b + 1)
        .map(({ town }, n): Step => ({ path: paths.article(n), name: town }));
      return toTell(
        world,
        `How far is ${quoted(from.town)} from the town that ${quoted(to.mayor)} is the ${quoted(LABELS.mayor)} of?`,
        ['wiki', 'map'],
        [
          ...steps,
          { path: paths.town(a), name: from.town },
          { path: paths.route(a, b), name: to.town },
        ],
        kilometres(distances[a]?.[b] ?? 0),
      );
    },
  },
];

export const templates: readonly Template[] = [...here, ...found, ...forms, ...across];
