/** A workbook of two sheets, drawn for every goal. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { oneOf, someOf } from '../../draws.ts';
import { shuffled } from '../../shuffled.ts';

export type Row = {
  /** Stays with the row when it moves; the agent does not see it. */
  readonly id: number;
  readonly cells: readonly string[];
  /** Notes by column, empty for a cell without one. Absent until a note is written. */
  readonly notes?: readonly string[];
};

export type Sheet = {
  readonly name: string;
  /** The header first, all of equal length; the last row and the last column are not empty. */
  readonly rows: readonly Row[];
  /** Number of leading rows and columns that do not move when the sheet is sorted. */
  readonly frozen: { readonly rows: number; readonly columns: number };
};

export type SheetWorld = {
  /** Name of the open sheet; empty if none is open. */
  readonly open: string;
  readonly sheets: readonly Sheet[];
};

export const SHEET_NAMES = [
  ...['Spring', 'Summer', 'Autumn', 'Winter', 'Market', 'Cellar', 'Harbour', 'Orchard'],
  ...['League', 'Archive', 'Office', 'Depot', 'Bakery', 'Library', 'Stable', 'Workshop'],
  ...['Island', 'Valley', 'Station', 'Festival'],
];

/** Subjects of a sheet's rows: the header of the first column, and its names. */
const LABELS = {
  item: [
    ...['apple', 'bread', 'candle', 'cheese', 'honey', 'lamp', 'pear', 'rice', 'rope', 'salt'],
    ...['soap', 'tea'],
  ],
  player: [
    ...['Ada', 'Boris', 'Clara', 'Dario', 'Edda', 'Felix', 'Greta', 'Hugo', 'Irma', 'Jonas'],
    ...['Katla', 'Leo'],
  ],
  plant: [
    ...['ash', 'elm', 'fern', 'iris', 'ivy', 'lily', 'mint', 'moss', 'oak', 'reed', 'rose'],
    ...['sage'],
  ],
} as const;

export const NUMBER_HEADERS = [
  ...['price', 'stock', 'sold', 'weight', 'points', 'wins', 'age', 'height', 'votes', 'hours'],
];

/** Columns with a few words: header and words. */
export const WORDS: Readonly<Record<string, readonly string[]>> = {
  colour: ['red', 'blue', 'green', 'white'],
  team: ['north', 'south', 'east', 'west'],
  size: ['small', 'middle', 'large'],
};

/** The header of a column computed from two others. */
export const TOTAL = 'total';

const HEADERS: readonly string[] = [
  ...Object.keys(LABELS),
  ...NUMBER_HEADERS,
  ...Object.keys(WORDS),
  TOTAL,
];

/** Largest initial number in a cell. */
export const MOST_DRAWN = 40;
/** Largest number that a cell can hold. */
const MOST_NUMBER = 300;

export const NUMBERS: readonly string[] = Array.from({ length: MOST_NUMBER + 1 }, (_, n) =>
  String(n),
);

/** Every possible text of a cell. */
export const CELL_TEXTS: ReadonlySet<string> = new Set([
  '',
  ...HEADERS,
  ...Object.values(LABELS).flat(),
  ...Object.values(WORDS).flat(),
  ...NUMBERS,
]);

/** Possible names of a sheet's rows, by the header of its first column. */
export function labelsOf(header: string): readonly string[] {
  return Object.entries(LABELS).find(([label]) => label === header)?.[1] ?? [];
}

export function drawSheets(random: RandomGenerator): SheetWorld {
  const names = someOf(SHEET_NAMES, 2, random);
  return { open: '', sheets: names.map((name) => drawSheet(name, random)) };
}

const FEWEST_ROWS = 4;
const MOST_ROWS = 8;

function drawSheet(name: string, random: RandomGenerator): Sheet {
  const label = oneOf(Object.keys(LABELS), random);
  const numbers = someOf(NUMBER_HEADERS, uniformInt(random, 1, 3), random);
  const columns = [...numbers, oneOf(Object.keys(WORDS), random)];
  const headers = [label, ...shuffled(columns, random)];
  const count = uniformInt(random, FEWEST_ROWS, MOST_ROWS) - 1;
  const filled = headers.map((header): readonly string[] => {
    const words = WORDS[header];
    if (words !== undefined) return Array.from({ length: count }, () => oneOf(words, random));
    // Distinct, so that each identifies its row.
    return someOf(header === label ? labelsOf(label) : DRAWN, count, random);
  });
  const rows = [
    headers,
    ...Array.from({ length: count }, (_, i) => filled.map((of) => of[i] ?? '')),
  ];
  return {
    name,
    rows: rows.map((cells, id) => ({ id, cells })),
    frozen: { rows: 0, columns: 0 },
  };
}

const DRAWN = NUMBERS.slice(1, MOST_DRAWN + 1);
