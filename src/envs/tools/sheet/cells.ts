/** Cells of a sheet by name, as `B3`, and their contents. */

/** Maximum number of columns and rows of a sheet, including the header. */
export const MOST_COLUMNS = 6;
export const MOST_ROWS = 12;

const LETTERS = 'ABCDEF';

/** A cell's row and column, both from 0. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** `B3` for row 2 and column 1. */
export function nameOfPlace({ row, column }: Place): string {
  return `${LETTERS[column]}${row + 1}`;
}

/** Every cell's name, row by row. */
export const PLACES: readonly string[] = Array.from({ length: MOST_ROWS }, (_, row) =>
  [...LETTERS].map((_letter, column) => nameOfPlace({ row, column })),
).flat();

const places: ReadonlyMap<string, Place> = new Map(
  PLACES.map((name, i) => [name, { row: Math.floor(i / MOST_COLUMNS), column: i % MOST_COLUMNS }]),
);

/** Undefined for a text that is not a cell's name. */
export function placeOf(name: string): Place | undefined {
  return places.get(name);
}

/** The cells from the top-left to the bottom-right corner, row by row; undefined for invalid corners. */
export function placesBetween(first: string, last: string): readonly Place[] | undefined {
  const [from, to] = [placeOf(first), placeOf(last)];
  if (from === undefined || to === undefined) return undefined;
  const rows = to.row - from.row + 1;
  const columns = to.column - from.column + 1;
  if (rows < 1 || columns < 1) return undefined;
  return Array.from({ length: rows * columns }, (_, i) => ({
    row: from.row + Math.floor(i / columns),
    column: from.column + (i % columns),
  }));
}

/** Rows of texts, padded to equal length. */
export type Cells = readonly (readonly string[])[];

/** The text of a cell; empty outside the sheet. */
export function cellAt(cells: Cells, { row, column }: Place): string {
  return cells[row]?.[column] ?? '';
}

/** The number in a cell; null if its text is not a number. */
export function numberIn(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null;
}
