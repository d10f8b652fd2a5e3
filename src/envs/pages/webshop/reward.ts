/** The reward for a purchase, by WebShop's formula (arXiv:2207.01206, section 3). */

import { tokenSetRatio } from './similarity.ts';
import { BASE_COLORS } from './words.ts';

/** The parts of a product that count for the reward. */
export interface Judged {
  /** The kind it is listed under. */
  readonly query: string;
  /** From the widest level to the narrowest. */
  readonly categories: readonly string[];
  readonly title: string;
  /** The nouns of its title. */
  readonly nouns: readonly string[];
  readonly attributes: readonly string[];
  readonly features: readonly string[];
  readonly description: string;
  /** Dollars. */
  readonly price: number;
}

/** The requested properties. */
export interface Wishes {
  /** The product that the goal was derived from. */
  readonly product: Pick<Judged, 'query' | 'categories' | 'nouns'>;
  readonly attributes: readonly string[];
  /** Values, such as a color and a size. */
  readonly options: readonly string[];
  /** Dollars; infinite if the goal names no price. */
  readonly bound: number;
}

/** The parts of a reward. */
export interface Judgement {
  /** 1 if the kind of product matches, otherwise less. */
  readonly type: number;
  /** Whether it has each attribute, and whether each option was chosen, in the order of the goal. */
  readonly attributes: readonly boolean[];
  readonly options: readonly boolean[];
  readonly price: boolean;
  /** From 0 to 1. */
  readonly reward: number;
}

/** A similarity above this is a match. */
const ALIKE = 85;

/** r = r_type · (n_att + n_opt + [price ≤ bound]) / (|att| + |opt| + 1). */
export function judge(
  bought: Judged,
  chosen: readonly string[],
  { product, ...wishes }: Wishes,
): Judgement {
  const type = typeReward(bought, product);
  const attributes = wishes.attributes.map((wanted) => hasAttribute(bought, wanted));
  const values = chosen.map(baseColor);
  const options = wishes.options.map((wanted) =>
    values.some((value) => tokenSetRatio(value, baseColor(wanted)) > ALIKE),
  );
  const price = bought.price <= wishes.bound;
  const parts = [...attributes, ...options, price];
  const reward = (type * parts.filter(Boolean).length) / parts.length;
  return { type, attributes, options, price, reward };
}

/** How well a product's kind matches the requested one, by its title's nouns, its kind and its categories. */
export function typeReward(
  bought: Pick<Judged, 'query' | 'categories' | 'nouns'>,
  wanted: Wishes['product'],
): number {
  const nouns = new Set(wanted.nouns);
  const shared = new Set(bought.nouns.filter((noun) => nouns.has(noun)));
  const title = nouns.size === 0 ? 0.2 : shared.size / nouns.size;
  if (title === 0) return 0;
  if (title < 0.1) return 0.1;
  const levels = new Set(bought.categories.filter((level) => wanted.categories.includes(level)));
  return bought.query === wanted.query || levels.size >= 2 || title > 0.2 ? 1 : 0.5;
}

function hasAttribute(product: Judged, wanted: string): boolean {
  if (product.attributes.some((attribute) => tokenSetRatio(attribute, wanted) > ALIKE)) return true;
  return [product.title, product.features.join(' '), product.description].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

/** The first base color in a color's name, such as `blue` in `navy blue`; other values unchanged. */
export function baseColor(option: string): string {
  return BASE_COLORS.find((color) => option.includes(color)) ?? option;
}
