/** The tools of the workbook. In calls, rows and columns are counted from 1. */

import { isEqual } from '../core/json.ts';
import { list, number, optional, type Parameter, type Result, text, tool } from '../core/tool.ts';
import {
  cellAt,
  MOST_COLUMNS,
  MOST_ROWS,
  nameOfPlace,
  numberIn,
  PLACES,
  type Place,
  placeOf,
  placesBetween,
} from './cells.ts';
import * as edits from './edits.ts';
import { isOperator, OPERATORS, workedOut } from './formula.ts';
import { CELL_TEXTS, SHEET_NAMES, type Sheet, type SheetWorld } from './world.ts';

export const errors = {
  name: 'Error: there is no sheet of this name.',
  closed: 'Error: please open a sheet first.',
  place: 'Error: there is no such cell.',
  value: 'Error: a cell cannot hold this.',
  fit: 'Error: the values do not fit the cells.',
  room: 'Error: the sheet has no room for this.',
  index: 'Error: there is no such row or column.',
  dimension: 'Error: there is no such dimension.',
  order: 'Error: there is no such order.',
  operator: 'Error: there is no such operator.',
  range: 'Error: give a start and an end position, or a list of positions.',
  empty: 'Error: there is no number in these cells.',
  result: 'Error: the result is no number that a cell can hold.',
} as const;

export const MESSAGES = { opened: 'opened', deleted: 'deleted' } as const;

export const DIMENSIONS = { row: 'row', column: 'col' } as const;
export const FROZEN = { rows: 'rows', columns: 'columns' } as const;
export const ORDERS = { ascending: 'asc', descending: 'des' } as const;

const upTo = (most: number) => Array.from({ length: most }, (_, i) => i + 1);

const sheetName = text('name of a sheet', SHEET_NAMES);
export const position = (which: string) => text(`${which}, as B3`, PLACES);
const rowIndex = number('a row, from 1', upTo(MOST_ROWS));
const columnIndex = number('a column, from 1', upTo(MOST_COLUMNS));
const operatorName = text(`one of ${OPERATORS.join(', ')}`, OPERATORS, true);

/** The content of a cell: a number is stored as its digits. */
const cellValue: Parameter<string | number> = {
  ...text('what the cell shall hold', [...CELL_TEXTS]),
  type: 'a string or a number',
  accepts: (value): value is string | number =>
    typeof value === 'string' || typeof value === 'number',
};
const values = list(cellValue, 'a list of strings or numbers', 'a row of values');
const rowsOfValues = list(values, 'a list of lists of strings or numbers', 'rows of values');
const columnsOfValues = { ...rowsOfValues, description: 'columns of values' };

/** Cells are given either by two corners or as a list. */
const someCells = {
  start_position: optional(position('the first cell')),
  end_position: optional(position('the last cell')),
  position_list: optional(list(position('a cell'), 'a list of strings', 'cells, as B3')),
};

type World = SheetWorld;

const openSheet = ({ open, sheets }: World): Sheet | undefined =>
  sheets.find(({ name }) => name === open);

/** Reads the open sheet; an error if none is open. */
export function looked(world: World, look: (sheet: Sheet) => Result<World>): Result<World> {
  const sheet = openSheet(world);
  return sheet === undefined ? { error: errors.closed } : look(sheet);
}

/** Changes the open sheet and replies with all of it; `change` returns null if the limits are exceeded. */
export function changed(
  world: World,
  change: (sheet: Sheet) => Sheet | string | null,
): Result<World> {
  return looked(world, (sheet) => {
    const after = change(sheet);
    if (typeof after === 'string') return { error: after };
    if (after === null) return { error: errors.room };
    const reply = edits.cellsOf(after);
    if (isEqual(reply, edits.cellsOf(sheet)) && isEqual(after.frozen, sheet.frozen)) {
      return { reply };
    }
    const sheets = world.sheets.map((one) => (one === sheet ? after : one));
    return { reply, world: { ...world, sheets } };
  });
}

/** Rows of values as texts; undefined if a value cannot be stored in a cell. */
function textsOf(rows: readonly (readonly (string | number)[])[]): string[][] | undefined {
  const texts = rows.map((row) => row.map(String));
  return texts.flat().every((one) => CELL_TEXTS.has(one)) ? texts : undefined;
}

interface SomeCells {
  readonly start_position?: string;
  readonly end_position?: string;
  readonly position_list?: readonly string[];
}

/** The cells that arguments name; an error if they name none. */
function namedCells(args: SomeCells): readonly Place[] | string {
  const { start_position: start, end_position: end, position_list: some } = args;
  const isRange = start !== undefined && end !== undefined;
  if (isRange === (some !== undefined)) return errors.range;
  const found = isRange ? placesBetween(start, end) : some?.map(placeOf);
  const cells = found?.filter((place) => place !== undefined);
  return cells === undefined || cells.length < (found?.length ?? 0) ? errors.place : cells;
}

/** The result of an operator on cells: a cell's text, or an error. */
function formula(
  sheet: Sheet,
  args: SomeCells,
  operator: string,
): { readonly error: string } | { readonly text: string } {
  if (!isOperator(operator)) return { error: errors.operator };
  const places = namedCells(args);
  if (typeof places === 'string') return { error: places };
  const cells = edits.cellsOf(sheet);
  const numbers = places
    .map((place) => numberIn(cellAt(cells, place)))
    .filter((found) => found !== null);
  if (numbers.length === 0 && operator !== 'COUNT') return { error: errors.empty };
  const result = String(workedOut(operator, numbers));
  return CELL_TEXTS.has(result) ? { text: result } : { error: errors.result };
}

export const open = tool({
  name: 'open_sheet',
  description: 'opens a sheet, which the other tools then look at and change',
  parameters: { name: sheetName },
  run(world: World, { name }) {
    if (world.sheets.every((sheet) => sheet.name !== name)) return { error: errors.name };
    const reply = { message: MESSAGES.opened };
    return world.open === name ? { reply } : { reply, world: { ...world, open: name } };
  },
});

export const deleteSheet = tool({
  name: 'del_sheet',
  description: 'deletes a sheet',
  parameters: { name: sheetName },
  run(world: World, { name }) {
    const sheets = world.sheets.filter((sheet) => sheet.name !== name);
    return sheets.length === world.sheets.length
      ? { error: errors.name }
      : {
          reply: { message: MESSAGES.deleted },
          world: { open: world.open === name ? '' : world.open, sheets },
        };
  },
});

export const allValues = tool({
  name: 'get_all_values',
  description: 'tells what all cells hold, row by row',
  parameters: {},
  run: (world: World) => looked(world, (sheet) => ({ reply: edits.cellsOf(sheet) })),
});

const rangeValues = tool({
  name: 'get_range_values',
  description: 'tells what the cells between two corners hold, row by row',
  parameters: {
    start_position: position('the first cell'),
    end_position: position('the last cell'),
  },
  run: (world: World, { start_position, end_position }) =>
    looked(world, (sheet) => {
      const [from, to] = [placeOf(start_position), placeOf(end_position)];
      if (from === undefined || to === undefined) return { error: errors.place };
      const rows = edits.cellsOf(sheet).slice(from.row, to.row + 1);
      return { reply: rows.map((cells) => cells.slice(from.column, to.column + 1)) };
    }),
});

const cellValueAt = tool({
  name: 'get_cell_value',
  description: 'tells what a cell holds',
  parameters: { position: position('a cell') },
  run: (world: World, args) =>
    looked(world, (sheet) => {
      const place = placeOf(args.position);
      return place === undefined
        ? { error: errors.place }
        : { reply: cellAt(edits.cellsOf(sheet), place) };
    }),
});

export const annotation = tool({
  name: 'get_A1_annotation',
  description: 'tells how a cell is called, as B3',
  parameters: { row: rowIndex, col: columnIndex },
  run(_: World, { row, col }) {
    const name = nameOfPlace({ row: row - 1, column: col - 1 });
    return placeOf(name) === undefined ? { error: errors.index } : { reply: name };
  },
});

export const find = tool({
  name: 'filter_cells',
  description: 'finds the cells that hold a text, in a row, in a column or anywhere',
  parameters: {
    query: text('what the cells hold', [...CELL_TEXTS]),
    in_row: optional(rowIndex),
    in_column: optional(columnIndex),
  },
  run: (world: World, { query, in_row, in_column }) =>
    looked(world, (sheet) => {
      const reply = edits.cellsOf(sheet).flatMap((cells, row) =>
        cells.flatMap((held, column) => {
          const isThere =
            held === query &&
            (in_row ?? row + 1) === row + 1 &&
            (in_column ?? column + 1) === column + 1;
          return isThere ? [nameOfPlace({ row, column })] : [];
        }),
      );
      return { reply };
    }),
});

export const updateCell = tool({
  name: 'update_cell',
  description: 'writes into a cell',
  parameters: { position: position('a cell'), value: cellValue },
  run: (world: World, { position: name, value }) =>
    changed(world, (sheet) => {
      const place = placeOf(name);
      if (place === undefined) return errors.place;
      const held = String(value);
      return CELL_TEXTS.has(held) ? edits.updated(sheet, [{ place, text: held }]) : errors.value;
    }),
});

const updateRange = tool({
  name: 'update_range',
  description: 'writes into all cells between two corners, row by row',
  parameters: {
    start_position: position('the first cell'),
    end_position: position('the last cell'),
    values_list: rowsOfValues,
  },
  run: (world: World, { start_position, end_position, values_list }) =>
    changed(world, (sheet) => {
      const places = placesBetween(start_position, end_position);
      if (places === undefined) return errors.place;
      const texts = textsOf(values_list);
      if (texts === undefined) return errors.value;
      const height = (places.at(-1)?.row ?? 0) - (places[0]?.row ?? 0) + 1;
      const width = places.length / height;
      if (texts.length !== height || texts.some((row) => row.length !== width)) return errors.fit;
      const all = texts.flat();
      return edits.updated(
        sheet,
        places.map((place, i) => ({ place, text: all[i] ?? '' })),
      );
    }),
});

export const insertRows = tool({
  name: 'insert_rows',
  description: 'inserts rows above a row',
  moves: true,
  parameters: { values_list: rowsOfValues, row_idx: rowIndex },
  run: (world: World, { values_list, row_idx }) =>
    changed(world, (sheet) => {
      if (!isIndex(row_idx, sheet.rows.length + 1)) return errors.index;
      const texts = textsOf(values_list);
      return texts === undefined ? errors.value : edits.withRowsInserted(sheet, row_idx - 1, texts);
    }),
});

const insertColumns = tool({
  name: 'insert_cols',
  description: 'inserts columns to the left of a column',
  moves: true,
  parameters: { values_list: columnsOfValues, col_idx: columnIndex },
  run: (world: World, { values_list, col_idx }) =>
    changed(world, (sheet) => {
      if (!isIndex(col_idx, widthOf(sheet) + 1)) return errors.index;
      const texts = textsOf(values_list);
      return texts === undefined
        ? errors.value
        : edits.withColumnsInserted(sheet, col_idx - 1, texts);
    }),
});

const isIndex = (index: number, most: number) =>
  Number.isInteger(index) && index >= 1 && index <= most;

const widthOf = ({ rows }: Sheet) => rows[0]?.cells.length ?? 0;

export const remove = tool({
  name: 'delete_batch_data',
  description: 'deletes rows or columns',
  moves: true,
  parameters: {
    dimension: text('row or col', Object.values(DIMENSIONS), true),
    index_list: list(
      number('a row or a column, from 1', upTo(MOST_ROWS)),
      'a list of numbers',
      'rows or columns, from 1',
    ),
  },
  run: (world: World, { dimension, index_list }) =>
    changed(world, (sheet) => {
      const isRow = dimension === DIMENSIONS.row;
      if (!isRow && dimension !== DIMENSIONS.column) return errors.dimension;
      const most = isRow ? sheet.rows.length : widthOf(sheet);
      if (!index_list.every((index) => isIndex(index, most))) return errors.index;
      const gone = new Set(index_list.map((index) => index - 1));
      return isRow ? edits.withoutRows(sheet, gone) : edits.withoutColumns(sheet, gone);
    }),
});

export const sort = tool({
  name: 'sort_sheet_by_col',
  description: 'sorts the rows below the frozen ones by a column',
  parameters: {
    col_num: columnIndex,
    order: text('asc or des', Object.values(ORDERS), true),
  },
  run: (world: World, { col_num, order }) =>
    changed(world, (sheet) => {
      const isDescending = order === ORDERS.descending;
      if (!isDescending && order !== ORDERS.ascending) return errors.order;
      return isIndex(col_num, widthOf(sheet))
        ? edits.sorted(sheet, col_num - 1, isDescending)
        : errors.index;
    }),
});

export const freeze = tool({
  name: 'freeze_data',
  description: 'freezes the first rows or columns, 0 of them for none',
  parameters: {
    dimension: text('rows or columns', Object.values(FROZEN), true),
    num: number('how many', [0, ...upTo(MOST_ROWS)]),
  },
  run: (world: World, { dimension, num }) =>
    changed(world, (sheet) => {
      const isRows = dimension === FROZEN.rows;
      if (!isRows && dimension !== FROZEN.columns) return errors.dimension;
      if (num !== 0 && !isIndex(num, isRows ? sheet.rows.length : widthOf(sheet))) {
        return errors.index;
      }
      return { ...sheet, frozen: { ...sheet.frozen, [dimension]: num } };
    }),
});

const valueByFormula = tool({
  name: 'get_value_by_formula',
  description: 'tells what an operator makes of the numbers in cells',
  parameters: { ...someCells, operator: operatorName },
  run: (world: World, { operator, ...cells }) =>
    looked(world, (sheet) => {
      const result = formula(sheet, cells, operator);
      return 'error' in result ? result : { reply: result.text };
    }),
});

export const updateByFormula = tool({
  name: 'update_cell_by_formula',
  description: 'writes into a cell what an operator makes of the numbers in others',
  parameters: {
    ...someCells,
    result_position: position('the cell for the result'),
    operator: operatorName,
  },
  run: (world: World, { operator, result_position, ...cells }) =>
    changed(world, (sheet) => {
      const place = placeOf(result_position);
      if (place === undefined) return errors.place;
      const result = formula(sheet, cells, operator);
      return 'error' in result
        ? result.error
        : edits.updated(sheet, [{ place, text: result.text }]);
    }),
});

export const sheetTools = [
  ...[open, deleteSheet, allValues, rangeValues, cellValueAt, annotation, find],
  ...[updateCell, updateRange, insertRows, insertColumns, remove, sort, freeze],
  ...[valueByFormula, updateByFormula],
];
