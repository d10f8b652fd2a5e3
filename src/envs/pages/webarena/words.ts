/** The names on the sites. Each is one quoted lexeme, worded the same everywhere. */

import { DEPARTMENTS, PRICES } from '../webshop/words.ts';
import { dollars, kilometres, LABELS, orderName, SITE_TITLES } from './labels.ts';
import {
  BOARDS,
  DISTANCES,
  MOST_VOTES,
  ORDER_NUMBERS,
  PEOPLE,
  POPULATIONS,
  REMARKS,
  RIVERS,
  STATUSES,
  TITLES,
  TOWNS,
  YEARS,
} from './world.ts';

/** The answer to give if nothing is asked, and the one to give if the objective is impossible. */
export const DONE = 'done';
export const IMPOSSIBLE = 'N/A';

const NAMES: readonly string[] = [
  ...new Set([
    ...[...Object.values(LABELS), ...Object.values(SITE_TITLES), DONE, IMPOSSIBLE],
    ...DEPARTMENTS.flatMap(({ name, kinds }) => [name, ...kinds.map(({ text }) => text)]),
    ...[...TOWNS, ...PEOPLE, ...RIVERS, ...BOARDS, ...TITLES, ...REMARKS, ...STATUSES],
    ...[...PRICES.map(dollars), ...DISTANCES.map(kilometres), ...ORDER_NUMBERS.map(orderName)],
    ...[...YEARS, ...POPULATIONS].map(String),
    ...Array.from({ length: MOST_VOTES + 1 }, (_, i) => String(i)),
  ]),
];

const QUOTED: ReadonlyMap<string, string> = new Map(NAMES.map((name) => [name, `'${name}'`]));

/** Replaces text that the agent wrote and that has no lexeme. */
const OTHER = "'(other text)'";

/** A name in an observation. */
export const quoted = (name: string): string => QUOTED.get(name) ?? OTHER;

export const NAME_LEXEMES: readonly string[] = [...QUOTED.values(), OTHER];
