/** Observations in the shop, the instruction, and all lexemes. */

import { NO_TURNS_LEFT } from '../core/environment.ts';
import {
  BACK,
  BUY,
  CHOSEN,
  clickAction,
  dollars,
  MOST_PAGES,
  MOST_RESULTS,
  NEXT,
  NO_REVIEWS,
  PREVIOUS,
  pageOf,
  problems,
  RATING,
  SEARCH,
  type ShopPlace,
  SUB_PAGES,
} from './place.ts';
import { GROUPS, productId, SHELF, type ShopTask } from './shop.ts';
import { BOUNDS, BRANDS, COLORS, DEPARTMENTS, DETAILS, PRICES, QUALITIES } from './words.ts';

const SEPARATOR = '[SEP]';
const SHOP = 'WebShop';
const INSTRUCTION_MARK = 'Instruction:';
const THANKS = 'Thank you for shopping with us!';
const SCORE = 'Your score (min 0.0, max 1.0)';

const joined = (parts: readonly string[]): string => parts.join(` ${SEPARATOR} `);

/** The page's parts in one line; every page includes the goal. */
export function readPage(task: ShopTask, place: ShopPlace, reward: number): string {
  if (place.at === 'bought') return joined([THANKS, SCORE, reward.toFixed(2)]);
  const { nodes } = pageOf(task, place);
  return joined([
    ...(place.problem === null ? [] : [problems[place.problem]]),
    ...(place.at === 'search' ? [SHOP] : []),
    INSTRUCTION_MARK,
    task.goal,
    ...nodes.map(({ name, note }) => (note === undefined ? name : `${name} ${note}`)),
  ]);
}

export const TURN_LIMIT = 20;

export const INSTRUCTION = `You are shopping on a website. Every page shows the instruction: what to buy, and which wishes it should fulfil.
Write one action each turn:
search[words] searches for products, on the page with ${SEARCH}.
click[text] clicks on a part of the page: the id of a product, the value of an option, or one of ${[BACK, PREVIOUS, NEXT, ...SUB_PAGES, BUY].join(', ')}.
A product is bought with the options that are marked ${CHOSEN}, and buying ends the task. The score is the share of the wishes that are fulfilled. You have ${TURN_LIMIT} turns.`;

// --- Lexemes ------------------------------------------------------------------------------------

const kinds = DEPARTMENTS.flatMap((department) => department.kinds.map(({ text }) => text));
const attributes = [...QUALITIES, ...DETAILS].map(({ text }) => text);
const ids = Array.from({ length: SHELF }, (_, i) => productId(i + 1));
const sizes = DEPARTMENTS.flatMap((department) => department.sizes);
const values = [...COLORS, ...sizes];

const WISHES = 5;
const TYPE_REWARDS = [1, 0.5, 0.1, 0];

/** Every possible reward, as text. */
function rewards(): readonly string[] {
  const found: string[] = [];
  for (let wishes = 1; wishes <= WISHES; wishes++) {
    for (let met = 0; met <= wishes; met++) {
      for (const type of TYPE_REWARDS) found.push(((type * met) / wishes).toFixed(2));
    }
  }
  return found;
}

export const LEXICON: readonly string[] = [
  ...new Set([
    ...[SEPARATOR, SHOP, INSTRUCTION_MARK, 'Find me', 'with', ',', ']', ')'],
    ...GROUPS.flatMap((group) => [group, `with ${group}:`, `and ${group}:`]),
    ...['and price lower than', 'with price lower than', 'dollars'],
    ...BOUNDS.map((bound) => bound.toFixed(2)),
    ...Object.values(problems),
    ...[SEARCH, BACK, PREVIOUS, NEXT, ...SUB_PAGES, BUY, CHOSEN, RATING, NO_REVIEWS, 'Price:'],
    ...Array.from({ length: MOST_PAGES }, (_, i) => `Page ${i + 1} (Total results:`),
    ...Array.from({ length: MOST_RESULTS + 1 }, (_, i) => String(i)),
    ...PRICES.map(dollars),
    ...[...ids, ...BRANDS, ...kinds, ...attributes, ...values],
    ...['Made by', 'From the range of', 'by', THANKS, SCORE, NO_TURNS_LEFT],
    ...rewards(),
    ...[...ids, ...values, BACK, PREVIOUS, NEXT, ...SUB_PAGES, BUY].map(clickAction),
    ...kinds.map((kind) => `search[${kind}`),
  ]),
];

export const thoughts = {
  search: 'I search for',
  buy: 'It is what I want.',
  fits: 'fits as far as I see.',
  none: 'Nothing here fits.',
  features: 'I do not know yet what it is like.',
  notThis: 'This is not what I want.',
  wanted: 'Wanted:',
  back: 'I know what I came for.',
} as const;

export const THOUGHT_LEXICON: readonly string[] = [...Object.values(thoughts), '.'];
