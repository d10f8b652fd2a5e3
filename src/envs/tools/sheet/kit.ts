import { isList, type Json } from '../core/json.ts';
import type { Kit, Table } from '../core/kit.ts';
import type { Call } from '../core/tool.ts';
import { sheetId } from '../options.ts';
import { MOST_COLUMNS, MOST_ROWS, nameOfPlace, PLACES, placesBetween } from './cells.ts';
import { cellsOf } from './edits.ts';
import { OPERATORS } from './formula.ts';
import { repair, templates, thoughts } from './templates.ts';
import { DIMENSIONS, errors, FROZEN, MESSAGES, ORDERS, sheetTools } from './tools.ts';
import * as world from './world.ts';

const INDICES = Array.from({ length: Math.max(MOST_ROWS, MOST_COLUMNS) + 1 }, (_, n) => n);

/** The sheets with their rows and columns, named as in calls. */
function tables({ open, sheets }: world.SheetWorld): readonly Table[] {
  return sheets.map(({ name, rows, frozen }) => ({
    key: name,
    title: [
      name,
      ...(name === open ? ['open'] : []),
      ...(frozen.rows > 0 ? [`rows frozen: ${frozen.rows}`] : []),
      ...(frozen.columns > 0 ? [`columns frozen: ${frozen.columns}`] : []),
    ].join(', '),
    columns: (rows[0]?.cells ?? []).map((_, column) => letterOf(column)),
    rows: rows.map(({ id, cells }, row) => ({
      key: String(id),
      heading: String(row + 1),
      marks: cells.filter((text) => text !== ''),
      cells,
      // Calls refer to the open sheet.
      places: cells.map((_, column) => (name === open ? nameOfPlace({ row, column }) : '')),
    })),
    grid: true,
  }));
}

const letterOf = (column: number) => nameOfPlace({ row: 0, column }).charAt(0);

/** The cells that a call names, including those within ranges, and those that it found. */
function pointsAt({ args }: Call, reply: Json | null): readonly string[] {
  const { start_position: start, end_position: end } = args;
  const isRange = typeof start === 'string' && typeof end === 'string';
  const range = isRange ? (placesBetween(start, end) ?? []) : [];
  const named = Object.values(args).flatMap((value) => (isList(value) ? value : [value]));
  const found = reply !== null && isList(reply) ? reply : [];
  return [...range.map(nameOfPlace), ...[...named, ...found].filter(isPlace)];
}

const isPlace = (value: Json): value is string =>
  typeof value === 'string' && PLACES.includes(value);

export const sheet: Kit<world.SheetWorld> = {
  id: sheetId,
  name: 'sheet',
  role: 'change the sheets of a workbook',
  turnLimit: 15,
  tools: sheetTools,
  templates,
  draw: world.drawSheets,
  errors: Object.values(errors),
  thoughts,
  replies: [['message']],
  values: [
    ...INDICES,
    ...PLACES,
    ...world.CELL_TEXTS,
    ...world.SHEET_NAMES,
    ...OPERATORS,
    ...Object.values(MESSAGES),
    ...Object.values(DIMENSIONS),
    ...Object.values(FROZEN),
    ...Object.values(ORDERS),
  ],
  answers: null,
  compared: ({ sheets }) => sheets.map((one) => [one.name, cellsOf(one)]),
  repair,
  tables,
  pointsAt,
};
