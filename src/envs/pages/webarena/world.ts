/** A small web: a shop with its back office, a forum, a wiki and a map, drawn for every task. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { oneOf, someOf } from '../../draws.ts';
import { DEPARTMENTS, PRICES } from '../webshop/words.ts';

export const TOWNS = [
  ...['Alden', 'Birka', 'Corvo', 'Dunmere', 'Estrel', 'Falun', 'Grimsay', 'Holm'],
  ...['Ivrea', 'Jelling', 'Kolding', 'Lorne', 'Morva', 'Nairn', 'Orsa', 'Pella'],
] as const;

export const PEOPLE = [
  ...['Alma Reid', 'Bruno Falk', 'Celia Hahn', 'David Ost', 'Elin Marsk', 'Frida Kohl'],
  ...['Goran Lind', 'Hedda Voll', 'Ines Brook', 'Jakob Stein', 'Kirsten Dale', 'Lars Moen'],
] as const;

export const RIVERS = [
  'Aura',
  'Brenta',
  'Clyst',
  'Drava',
  'Elz',
  'Fowey',
  'Gaula',
  'Hase',
] as const;

export const BOARDS = ['books', 'music', 'gardens', 'cooking', 'travel', 'games'] as const;

export const TITLES = [
  ...['A good tea', 'An old map', 'Bread at home', 'Cheap trains', 'Chess by post', 'Dry summers'],
  ...[
    'First guitar',
    'Green roofs',
    'Lost novels',
    'Night ferries',
    'Pears in pots',
    'Quiet games',
  ],
  ...['Rainy walks', 'Short poems', 'Slow soups', 'Spring bulbs', 'Three chords', 'Winter songs'],
] as const;

/** Texts that an agent may be asked to write. */
export const REMARKS = [
  'Thank you',
  'Well said',
  'I agree',
  'Good luck',
  'Please explain',
] as const;

export const STATUSES = ['pending', 'shipped', 'cancelled'] as const;
export type Status = (typeof STATUSES)[number];

export const YEARS: readonly number[] = Array.from({ length: 12 }, (_, i) => 1200 + 50 * i);
export const POPULATIONS: readonly number[] = Array.from({ length: 12 }, (_, i) => 1000 * (i + 2));
/** Kilometers. */
export const DISTANCES: readonly number[] = Array.from({ length: 16 }, (_, i) => 15 + 5 * i);
export const MOST_STOCK = 9;
export const MOST_VOTES = 30;
export const ORDER_NUMBERS: readonly number[] = Array.from({ length: 20 }, (_, i) => 101 + i);

export interface Product {
  readonly name: string;
  /** Index into `categories`. */
  readonly category: number;
}
export interface Order {
  readonly number: number;
  readonly product: number;
  readonly customer: string;
}
export interface Post {
  readonly title: string;
  readonly board: number;
  readonly author: string;
}
export interface Article {
  readonly town: string;
  readonly mayor: string;
  readonly river: string;
  readonly founded: number;
  readonly population: number;
  /** Index of the shop product that the town is known for. */
  readonly craft: number;
}

/** The part of the web that no action changes. */
export interface World {
  readonly categories: readonly string[];
  readonly products: readonly Product[];
  readonly orders: readonly Order[];
  readonly boards: readonly string[];
  readonly posts: readonly Post[];
  readonly articles: readonly Article[];
  /** Kilometers between the articles' towns. */
  readonly distances: readonly (readonly number[])[];
  readonly records: Records;
}

/** The part that actions change; each list follows the order of the corresponding list in `World`. */
export interface Records {
  readonly prices: readonly number[];
  readonly stock: readonly number[];
  /** Products, in the order in which they were added. */
  readonly cart: readonly number[];
  readonly statuses: readonly Status[];
  readonly votes: readonly number[];
  /** Whether the agent has upvoted each post. */
  readonly voted: readonly boolean[];
  readonly comments: readonly (readonly string[])[];
}

/** Counts of everything on the web. */
export const CATEGORIES = 3;
/** Four per category. */
export const PRODUCTS = 12;
export const ORDERS = 4;
export const BOARD_COUNT = 3;
export const POSTS = 9;
export const ARTICLES = 6;

export function drawWorld(random: RandomGenerator): World {
  const departments = someOf(DEPARTMENTS, CATEGORIES, random);
  const products = departments.flatMap(({ kinds }, category) =>
    kinds.map(({ text }): Product => ({ name: text, category })),
  );
  const towns = someOf(TOWNS, ARTICLES, random);
  const posts = someOf(TITLES, POSTS, random).map(
    (title, i): Post => ({ title, board: i % BOARD_COUNT, author: oneOf(PEOPLE, random) }),
  );
  const far = towns.map((_, i) => towns.map((_, j) => (i < j ? oneOf(DISTANCES, random) : 0)));
  return {
    categories: departments.map(({ name }) => name),
    products,
    orders: someOf(ORDER_NUMBERS, ORDERS, random).map((number) => ({
      number,
      product: uniformInt(random, 0, products.length - 1),
      customer: oneOf(PEOPLE, random),
    })),
    boards: someOf(BOARDS, BOARD_COUNT, random),
    posts,
    articles: towns.map((town) => ({
      town,
      mayor: oneOf(PEOPLE, random),
      river: oneOf(RIVERS, random),
      founded: oneOf(YEARS, random),
      population: oneOf(POPULATIONS, random),
      craft: uniformInt(random, 0, products.length - 1),
    })),
    distances: far.map((row, i) => row.map((_, j) => far[Math.min(i, j)]?.[Math.max(i, j)] ?? 0)),
    records: {
      prices: products.map(() => oneOf(PRICES, random)),
      stock: products.map(() => uniformInt(random, 0, MOST_STOCK)),
      cart: [],
      statuses: Array.from({ length: ORDERS }, () => oneOf(STATUSES, random)),
      votes: posts.map(() => uniformInt(random, 0, MOST_VOTES - 1)),
      voted: posts.map(() => false),
      comments: posts.map(() => someOf(REMARKS, uniformInt(random, 0, 2), random)),
    },
  };
}

/** A list with one value replaced. */
export const withAt = <T>(list: readonly T[], at: number, value: T): readonly T[] =>
  list.map((item, i) => (i === at ? value : item));
