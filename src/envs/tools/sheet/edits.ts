/** What can be done to a sheet. Rows and columns count from 0 here. */

import { type Cells, MOST_COLUMNS, MOST_ROWS, numberIn, type Place } from './cells.ts';
import type { Row, Sheet } from './world.ts';

export const cellsOf = ({ rows }: Sheet): Cells => rows.map(({ cells }) => cells);

/** The sheet with other rows, without empty ones and empty columns at its end; null where there is no room for them. */
function withRows(sheet: Sheet, rows: readonly Row[]): Sheet | null {
  const width = rows.reduce((most, { cells }) => Math.max(most, lengthOf(cells)), 0);
  const height = rows.findLastIndex(({ cells }) => lengthOf(cells) > 0) + 1;
  if (width > MOST_COLUMNS || height > MOST_ROWS) return null;
  return {
    ...sheet,
    rows: rows.slice(0, height).map(({ id, cells }) => ({
      id,
      cells: Array.from({ length: width }, (_, i) => cells[i] ?? ''),
    })),
  };
}

/** How far a row is filled. */
const lengthOf = (cells: readonly string[]) => cells.findLastIndex((text) => text !== '') + 1;

/** Rows with ids that the sheet does not have. */
function fresh({ rows }: Sheet, cells: Cells): readonly Row[] {
  const next = rows.reduce((most, { id }) => Math.max(most, id), -1) + 1;
  return cells.map((row, i) => ({ id: next + i, cells: row }));
}

/** The sheet with texts in some cells, which may lie outside of it. */
export function updated(
  sheet: Sheet,
  changes: readonly { readonly place: Place; readonly text: string }[],
): Sheet | null {
  const height = changes.reduce((most, { place }) => Math.max(most, place.row + 1), 0);
  const missing = Math.max(0, height - sheet.rows.length);
  const rows = [...sheet.rows, ...fresh(sheet, Array<string[]>(missing).fill([]))].map(
    ({ id, cells }) => ({ id, cells: [...cells] }),
  );
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
  const rows = [...sheet.rows, ...fresh(sheet, empty)].map(({ id, cells }, row) => ({
    id,
    cells: [
      ...Array.from({ length: at }, (_, i) => cells[i] ?? ''),
      ...columns.map((texts) => texts[row] ?? ''),
      ...cells.slice(at),
    ],
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
  const rows = sheet.rows.map(({ id, cells }) => ({
    id,
    cells: cells.filter((_, column) => !gone.has(column)),
  }));
  return withRows(sheet, rows);
}

/** The rows below the frozen ones in the order of a column: numbers before texts, equal ones as they stood, empty ones last. */
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
