/** A goal and its shop: one product that fits, others that almost do, and the rest. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { chance, oneOf, someOf } from '../../draws.ts';
import { shuffled } from '../../shuffled.ts';
import type { Goal, Rung } from '../core/kit.ts';
import { baseColor, type Judged, type Wishes } from './reward.ts';
import {
  BOUNDS,
  BRANDS,
  COLORS,
  DEPARTMENTS,
  DETAILS,
  type Department,
  type Phrase,
  PRICES,
  QUALITIES,
} from './words.ts';

/** Groups of options, in the order of pages and goals. */
export const GROUPS = ['color', 'size'] as const;
export type Group = (typeof GROUPS)[number];

export interface Product extends Judged {
  readonly id: string;
  readonly brand: string;
  /** The available values of each group; empty if the group does not apply. */
  readonly options: Readonly<Record<Group, readonly string[]>>;
}

/** The first page of a task: the product that fits, the results for its kind, or the search. */
export type Start = 'item' | 'results' | 'search';

export interface ShopTask extends Goal {
  readonly wishes: Wishes & { readonly product: Product };
  /** The requested kind of product. */
  readonly kind: string;
  /** The requested values; null if the goal names none. */
  readonly wanted: Readonly<Record<Group, string | null>>;
  /** In the order of the search index. */
  readonly shelf: readonly Product[];
  /** Whether titles state properties. */
  readonly telling: boolean;
  readonly start: Start;
}

/** Products of a shop. */
export const SHELF = 12;
/** Products of the requested kind other than the one that fits. */
const NEAR_MISSES = 3;
/** Number of values per group for a product. */
const VALUES = 3;
/** A goal's price limit is drawn from this many limits just above the product's price. */
const NEAREST_BOUNDS = 3;

export const productId = (n: number): string => `B${String(n).padStart(2, '0')}`;

/** What goals and shops of a rung contain. */
interface Manner {
  /** Minimum and maximum number of properties in a goal. */
  readonly properties: readonly [0 | 1, 0 | 1 | 2];
  readonly groups: readonly Group[];
  /** Whether goals name a price. */
  readonly priced: boolean;
  /** Whether titles state properties. */
  readonly telling: boolean;
  readonly start: Start;
}

const manners: Readonly<Record<Rung, Manner>> = {
  one: { properties: [0, 0], groups: GROUPS, priced: false, telling: true, start: 'item' },
  two: { properties: [1, 2], groups: ['color'], priced: true, telling: true, start: 'results' },
  three: { properties: [1, 2], groups: GROUPS, priced: true, telling: true, start: 'search' },
  four: { properties: [1, 2], groups: GROUPS, priced: true, telling: false, start: 'search' },
};

/** The parts of a product. */
interface Parts {
  readonly brand: string;
  readonly kind: Phrase;
  readonly quality: Phrase;
  readonly detail: Phrase;
  readonly color: readonly string[];
  readonly size: readonly string[];
  readonly price: number;
}

/** The requests of a goal; null for anything not requested. */
interface Wanted {
  readonly kind: Phrase;
  readonly quality: Phrase | null;
  readonly detail: Phrase | null;
  readonly color: string | null;
  readonly size: string | null;
  readonly bound: number;
}

export function drawShop(rung: Rung, random: RandomGenerator): ShopTask {
  const manner = manners[rung];
  const department = oneOf(DEPARTMENTS, random);
  const brands = shuffled(BRANDS, random);
  const kind = oneOf(department.kinds, random);
  const model = partsOf(department, kind, brands[0] ?? '', random);
  const wanted = wantedOf(model, manner, random);
  const misses = Array.from({ length: NEAR_MISSES }, (_, i) =>
    nearMiss(department, wanted, brands[i + 1] ?? '', random),
  );
  const others = Array.from({ length: SHELF - NEAR_MISSES - 1 }, () =>
    otherProduct(kind, brands, random),
  );
  const numbers = shuffled(
    Array.from({ length: SHELF }, (_, i) => i + 1),
    random,
  );
  const made = [{ ...model, department }, ...misses, ...others].map((parts, i) =>
    productOf(parts, productId(numbers[i] ?? 0), manner),
  );
  const shelf = shuffled(made, random);
  const [product] = made;
  if (product === undefined) throw new RangeError('a shop without products');
  const attributes = [wanted.quality, wanted.detail].flatMap((found) => found?.text ?? []);
  const options = [wanted.color, wanted.size].filter((value) => value !== null);
  const described = describedText(wanted);
  return {
    rung,
    goal: `Find me ${described}${wishText(wanted)}`,
    asked: attributes.length > 0 ? described : [described, ...options].join(', '),
    world: shelf
      .map(({ id, title, price, options: { color, size }, features }) =>
        [id, title, price, ...color, ...size, ...features].join(' '),
      )
      .join('\n'),
    wishes: { product, attributes, options, bound: wanted.bound },
    kind: kind.text,
    wanted: { color: wanted.color, size: wanted.size },
    shelf,
    telling: manner.telling,
    start: manner.start,
  };
}

function partsOf(
  { sizes }: Department,
  kind: Phrase,
  brand: string,
  random: RandomGenerator,
): Parts {
  const color = someOf(COLORS, VALUES, random);
  const size = someOf(sizes, VALUES, random);
  return {
    ...{ brand, kind },
    quality: oneOf(QUALITIES, random),
    detail: oneOf(DETAILS, random),
    // Sizes in their usual order.
    ...{ color, size: sizes.filter((value) => size.includes(value)) },
    price: oneOf(PRICES, random),
  };
}

/** A goal's requests, derived from a product. */
function wantedOf(model: Parts, manner: Manner, random: RandomGenerator): Wanted {
  const { properties, groups, priced } = manner;
  const [least, most] = properties;
  const count = uniformInt(random, least, most);
  const first = chance(random);
  const bounds = BOUNDS.filter((bound) => bound > model.price).slice(0, NEAREST_BOUNDS);
  return {
    kind: model.kind,
    quality: count === 2 || (count === 1 && first) ? model.quality : null,
    detail: count === 2 || (count === 1 && !first) ? model.detail : null,
    color: groups.includes('color') ? oneOf(model.color, random) : null,
    size: groups.includes('size') ? oneOf(model.size, random) : null,
    bound: priced ? oneOf(bounds, random) : Number.POSITIVE_INFINITY,
  };
}

/** A product of the requested kind that fails one of the requests. */
function nearMiss(
  department: Department,
  wanted: Wanted,
  brand: string,
  random: RandomGenerator,
): Parts & { department: Department } {
  const { sizes } = department;
  const parts = partsOf(department, wanted.kind, brand, random);
  const { quality, detail, color, size, bound } = wanted;
  const fitting = {
    ...parts,
    quality: quality ?? parts.quality,
    detail: detail ?? parts.detail,
    color: color === null ? parts.color : withValue(parts.color, color, random),
    size: size === null ? parts.size : sizes.filter((s) => s === size || parts.size.includes(s)),
    price: oneOf(
      PRICES.filter((price) => price < bound),
      random,
    ),
  };
  const faults: (() => Partial<Parts>)[] = [];
  if (quality !== null) {
    faults.push(() => ({ quality: oneOf(without(QUALITIES, quality), random) }));
  }
  if (detail !== null) faults.push(() => ({ detail: oneOf(without(DETAILS, detail), random) }));
  if (color !== null) {
    const others = COLORS.filter((other) => baseColor(other) !== baseColor(color));
    faults.push(() => ({ color: someOf(others, VALUES, random) }));
  }
  if (size !== null) faults.push(() => ({ size: without(sizes, size) }));
  const dearer = PRICES.filter((price) => price > bound);
  if (dearer.length > 0) faults.push(() => ({ price: oneOf(dearer, random) }));
  return { ...fitting, ...oneOf(faults, random)(), department };
}

const without = <T>(list: readonly T[], left: T): readonly T[] =>
  list.filter((item) => item !== left);

/** Values that include a given one at a random position. */
const withValue = (
  values: readonly string[],
  value: string,
  random: RandomGenerator,
): readonly string[] =>
  values.includes(value) ? values : shuffled([value, ...values.slice(1)], random);

/** A product of another kind. */
function otherProduct(
  kind: Phrase,
  brands: readonly string[],
  random: RandomGenerator,
): Parts & { department: Department } {
  const department = oneOf(DEPARTMENTS, random);
  const another = oneOf(without(department.kinds, kind), random);
  return { ...partsOf(department, another, oneOf(brands, random), random), department };
}

function productOf(
  {
    department,
    brand,
    kind,
    quality,
    detail,
    color,
    size,
    price,
  }: Parts & { department: Department },
  id: string,
  { telling, groups }: Manner,
): Product {
  const attributes = [quality, detail].map(({ text }) => text);
  const words = telling ? [quality, kind, detail] : [kind];
  return {
    ...{ id, brand, attributes, price },
    title: `${telling ? `${quality.text} ${kind.text} with ${detail.text}` : kind.text} by ${brand}`,
    nouns: [...words.flatMap(({ nouns }) => nouns), brand.toLowerCase()],
    query: kind.text,
    categories: [department.name, kind.text],
    options: {
      color: groups.includes('color') ? color : [],
      size: groups.includes('size') ? size : [],
    },
    features: [`Made by ${brand}`, ...attributes],
    description: `From the range of ${kind.text} by ${brand}`,
  };
}

/** `slim fit women's jumpsuits with side pockets` */
const describedText = ({ quality, kind, detail }: Wanted): string =>
  [quality?.text, kind.text, detail === null ? null : `with ${detail.text}`]
    .filter((part) => part !== null && part !== undefined)
    .join(' ');

/** ` with color: red, and size: large, and price lower than 40.00 dollars` */
function wishText({ color, size, bound }: Wanted): string {
  const wishes = [
    color === null ? [] : `color: ${color}`,
    size === null ? [] : `size: ${size}`,
    Number.isFinite(bound) ? `price lower than ${bound.toFixed(2)} dollars` : [],
  ].flat();
  return wishes.length === 0 ? '' : ` with ${wishes.join(', and ')}`;
}
