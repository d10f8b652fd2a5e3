/** Edits of a sheet. Rows and columns are counted from 0. */

import { type Cells, MOST_COLUMNS, MOST_ROWS, numberIn, type Place } from './cells.ts';
import type { Row, Sheet } from './world.ts';

export const cellsOf = ({ rows }: Sheet): Cells => rows.map(({ cells }) => cells);

/** The sheet with these rows, without trailing empty rows and columns; null if it exceeds the limits. */
function withRows(sheet: Sheet, rows: readonly Row[]): Sheet | null {
  const width = rows.reduce((most, { cells }) => Math.max(most, lengthOf(cells)), 0);
  const height = rows.findLastIndex(({ cells }) => lengthOf(cells) > 0) + 1;
  if (width > MOST_COLUMNS || height > MOST_ROWS) return null;
  return {
    ...sheet,
    rows: rows.slice(0, height).map((row) => ({
      ...row,
      cells: Array.from({ length: width }, (_, i) => row.cells[i] ?? ''),
    })),
  };
}

/** Number of cells up to and including the last filled one. */
const lengthOf = (cells: readonly string[]) => cells.findLastIndex((text) => text !== '') + 1;

/** Rows with new ids. */
function fresh({ rows }: Sheet, cells: Cells): readonly Row[] {
  const next = rows.reduce((most, { id }) => Math.max(most, id), -1) + 1;
  return cells.map((row, i) => ({ id: next + i, cells: row }));
}

/** The sheet with some cells changed, possibly outside its current size. */
export function updated(
  sheet: Sheet,
  changes: readonly { readonly place: Place; readonly text: string }[],
): Sheet | null {
  const height = changes.reduce((most, { place }) => Math.max(most, place.row + 1), 0);
  const missing = Math.max(0, height - sheet.rows.length);
  const rows = [...sheet.rows, ...fresh(sheet, Array<string[]>(missing).fill([]))].map((row) => ({
    ...row,
    cells: [...row.cells],
  }));
  for (const { place, text } of changes) {
    const cells = rows[place.row]?.cells ?? [];
    while (cells.length < place.column) cells.push('');
    cells[place.column] = text;
  }
  return withRows(sheet, rows);
}

export function withRowsInserted(sheet: Sheet, at: number, cells: Cells): Sheet | null {
  return withRows(sheet, [
    ...sheet.rows.slice(0, at),
    ...fresh(sheet, cells),
    ...sheet.rows.slice(at),
  ]);
}

/** @param columns each from the header down */
export function withColumnsInserted(sheet: Sheet, at: number, columns: Cells): Sheet | null {
  const height = columns.reduce((most, texts) => Math.max(most, texts.length), sheet.rows.length);
  const empty = Array<string[]>(height - sheet.rows.length).fill([]);
  const inserted = (texts: readonly string[], between: readonly string[]) => [
    ...Array.from({ length: at }, (_, i) => texts[i] ?? ''),
    ...between,
    ...texts.slice(at),
  ];
  const rows = [...sheet.rows, ...fresh(sheet, empty)].map((row, index) => ({
    ...row,
    cells: inserted(
      row.cells,
      columns.map((texts) => texts[index] ?? ''),
    ),
    ...(row.notes === undefined
      ? {}
      : {
          notes: inserted(
            row.notes,
            columns.map(() => ''),
          ),
        }),
  }));
  return withRows(sheet, rows);
}

export function withoutRows(sheet: Sheet, gone: ReadonlySet<number>): Sheet | null {
  return withRows(
    sheet,
    sheet.rows.filter((_, row) => !gone.has(row)),
  );
}

export function withoutColumns(sheet: Sheet, gone: ReadonlySet<number>): Sheet | null {
  const kept = (texts: readonly string[]) => texts.filter((_, column) => !gone.has(column));
  const rows = sheet.rows.map((row) => ({
    ...row,
    cells: kept(row.cells),
    ...(row.notes === undefined ? {} : { notes: kept(row.notes) }),
  }));
  return withRows(sheet, rows);
}

/** The sheet with a note on a cell. An empty note removes the existing one. */
export function withNote(sheet: Sheet, { row, column }: Place, note: string): Sheet {
  const rows = sheet.rows.map((one, index) => {
    if (index !== row) return one;
    const notes = one.cells.map((_, i) => one.notes?.[i] ?? '');
    notes[column] = note;
    return { ...one, notes };
  });
  return { ...sheet, rows };
}

/** Sorts the rows below the frozen ones (stable). Numbers are less than texts; empty cells come last. */
export function sorted(sheet: Sheet, column: number, descending: boolean): Sheet | null {
  const rows = sheet.rows.slice(sheet.frozen.rows);
  const textOf = ({ cells }: Row) => cells[column] ?? '';
  const filled = rows.filter((row) => textOf(row) !== '');
  filled.sort((a, b) => (descending ? -1 : 1) * inOrder(textOf(a), textOf(b)));
  return withRows(sheet, [
    ...sheet.rows.slice(0, sheet.frozen.rows),
    ...filled,
    ...rows.filter((row) => textOf(row) === ''),
  ]);
}

function inOrder(a: string, b: string): number {
  const [m, n] = [numberIn(a), numberIn(b)];
  if (m !== null && n !== null) return m - n;
  if (m !== null || n !== null) return m === null ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}
