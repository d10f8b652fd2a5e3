/** The goals of the workbook, by rung. All of them ask for changes. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { greatest, oneOf, someOf } from '../../draws.ts';
import { isEqual } from '../core/json.ts';
import type { Plan, Template } from '../core/kit.ts';
import type { Fillings } from '../core/pattern.ts';
import { toChange } from '../core/plans.ts';
import type { PlannedCall } from '../core/tool.ts';
import { MOST_COLUMNS, nameOfPlace, numberIn } from './cells.ts';
import { cellsOf } from './edits.ts';
import { type Operator, workedOut } from './formula.ts';
import * as tools from './tools.ts';
import {
  labelsOf,
  MOST_DRAWN,
  NUMBER_HEADERS,
  NUMBERS,
  type Sheet,
  type SheetWorld,
  TOTAL,
  WORDS,
} from './world.ts';

const why = {
  open: 'The goal is about the sheet {sheet}.',
  given: 'The goal says where and what.',
  where: 'I need to know where {text} stands.',
  look: 'I need to see the whole sheet.',
  meet: 'The row of {name} and the column {column} meet in {position}.',
  row: 'The row {row} is that of {name}.',
  column: '{column} is the column {number}.',
  below: 'The column {column} goes from {first} to {last}.',
  header: 'The header must not move.',
  most: '{name} has the most.',
  least: '{name} has the least.',
  count: 'I count {count}.',
  both: 'The two cells are {one} and {other}.',
  each: 'The row {row} is one of them.',
  these: 'These are the rows.',
  title: 'The new column needs a header.',
  end: 'The new row comes last.',
  mend: 'This is not as the goal wants it.',
  done: 'Now all is as the goal wants it.',
} as const;

export const thoughts: readonly string[] = Object.values(why);

const { row: ROW, column: COLUMN } = tools.DIMENSIONS;

const done = (fillings: Fillings, calls: readonly PlannedCall[]): Plan =>
  toChange(fillings, calls, why.done);

/** A sheet with the names of its columns and rows. */
class Reading {
  readonly sheet: Sheet;
  readonly headers: readonly string[];
  /** The first cell of each row below the header. */
  readonly labels: readonly string[];
  readonly random: RandomGenerator;

  constructor(sheet: Sheet, random: RandomGenerator) {
    const [headers = [], ...rows] = cellsOf(sheet);
    this.sheet = sheet;
    this.headers = headers;
    this.labels = rows.map(([label = '']) => label);
    this.random = random;
  }

  /** A random header among the given ones. */
  header(from: readonly string[]): string {
    return oneOf(
      this.headers.filter((header) => from.includes(header)),
      this.random,
    );
  }

  numberColumns(): readonly string[] {
    return this.headers.filter((header) => NUMBER_HEADERS.includes(header));
  }

  wordColumn(): string {
    return this.header(Object.keys(WORDS));
  }

  /** Counted from 1, as in calls. */
  columnOf(header: string): number {
    return this.headers.indexOf(header) + 1;
  }

  rowOf(label: string): number {
    return this.labels.indexOf(label) + 2;
  }

  /** @param row counted from 1; the header is row 1 */
  at(row: number, column: number): string {
    return nameOfPlace({ row: row - 1, column: column - 1 });
  }

  get(label: string, header: string): string {
    return cellsOf(this.sheet)[this.rowOf(label) - 1]?.[this.columnOf(header) - 1] ?? '';
  }

  number(label: string, header: string): number {
    return numberIn(this.get(label, header)) ?? 0;
  }

  get lastRow(): number {
    return this.labels.length + 1;
  }

  /** A free cell beside or below the sheet. */
  freePlace(): string {
    const right = this.headers.length + 1;
    return right <= MOST_COLUMNS && uniformInt(this.random, 0, 1) === 0
      ? this.at(uniformInt(this.random, 1, this.lastRow), right)
      : this.at(this.lastRow + 1, uniformInt(this.random, 1, this.headers.length));
  }

  open(): PlannedCall {
    return tools.open.plan({ name: this.sheet.name }, why.open, { sheet: this.sheet.name });
  }
}

const find = (query: string): PlannedCall => tools.find.plan({ query }, why.where, { text: query });

const look = (): PlannedCall => tools.allValues.plan({}, why.look);

const write = (
  position: string,
  value: string,
  reason: string,
  fillings: Fillings = {},
): PlannedCall => tools.updateCell.plan({ position, value }, reason, fillings);

const deleteRows = (rows: readonly number[], reason: string, fillings: Fillings = {}) =>
  tools.remove.plan({ dimension: ROW, index_list: rows }, reason, fillings);

/** A kind of goal about one of the sheets. */
function about(
  rung: Template<SheetWorld>['rung'],
  what: string,
  plan: (reading: Reading, sheet: { readonly sheet: string }) => Plan | null,
): Template<SheetWorld> {
  return {
    rung,
    goal: `In the sheet {sheet}, ${what}`,
    plan({ sheets }, random) {
      const sheet = oneOf(sheets, random);
      return plan(new Reading(sheet, random), { sheet: sheet.name });
    },
  };
}

// --- Rung one: the goal gives the cells ------------------------------------------------------------

/** Operators that goals apply to a range of cells, with their wording. */
const asked = {
  SUM: 'the sum of',
  MAX: 'the greatest of',
  MIN: 'the least of',
} as const satisfies Partial<Record<Operator, string>>;

const given: readonly Template<SheetWorld>[] = [
  about('one', 'write {value} into {position}.', (reading, sheet) => {
    const { random } = reading;
    const row = uniformInt(random, 2, reading.lastRow);
    const position = reading.at(row, reading.columnOf(reading.header(NUMBER_HEADERS)));
    const value = drawnNumber(random);
    const call = write(position, value, why.given);
    return done({ ...sheet, value, position }, [reading.open(), call]);
  }),
  about('one', 'delete the row {row}.', (reading, sheet) => {
    const row = uniformInt(reading.random, 2, reading.lastRow);
    return done({ ...sheet, row }, [reading.open(), deleteRows([row], why.given)]);
  }),
  about('one', 'delete the column {column}.', (reading, sheet) => {
    const column = uniformInt(reading.random, 2, reading.headers.length);
    const call = tools.remove.plan({ dimension: COLUMN, index_list: [column] }, why.given);
    return done({ ...sheet, column }, [reading.open(), call]);
  }),
  ...Object.entries(asked).map(([operator, words]) =>
    about('one', `write ${words} {first} to {last} into {position}.`, (reading, sheet) => {
      const column = reading.columnOf(reading.header(NUMBER_HEADERS));
      const from = uniformInt(reading.random, 2, reading.lastRow - 1);
      const to = uniformInt(reading.random, from + 1, reading.lastRow);
      const [first, last] = [reading.at(from, column), reading.at(to, column)];
      const position = reading.freePlace();
      const call = tools.updateByFormula.plan(
        { start_position: first, end_position: last, result_position: position, operator },
        why.given,
      );
      return done({ ...sheet, first, last, position }, [reading.open(), call]);
    }),
  ),
  {
    rung: 'one',
    goal: 'Delete the sheet {sheet}.',
    plan({ sheets }, random) {
      const { name } = oneOf(sheets, random);
      return done({ sheet: name }, [tools.deleteSheet.plan({ name }, why.open, { sheet: name })]);
    },
  },
];

function drawnNumber(random: RandomGenerator): string {
  return NUMBERS[uniformInt(random, 1, MOST_DRAWN)] ?? '';
}

// --- Rung two: by names, whose cells have to be looked up ------------------------------------------

const chains: readonly Template<SheetWorld>[] = [
  about('two', 'set {column} of {name} to {value}.', (reading, sheet) => {
    const name = oneOf(reading.labels, reading.random);
    const column = reading.header(NUMBER_HEADERS);
    const value = drawnNumber(reading.random);
    const position = reading.at(reading.rowOf(name), reading.columnOf(column));
    const calls = [
      find(name),
      find(column),
      write(position, value, why.meet, { name, column, position }),
    ];
    return done({ ...sheet, column, name, value }, [reading.open(), ...calls]);
  }),
  about('two', 'delete the row of {name}.', (reading, sheet) => {
    const name = oneOf(reading.labels, reading.random);
    const row = reading.rowOf(name);
    const calls = [find(name), deleteRows([row], why.row, { row, name })];
    return done({ ...sheet, name }, [reading.open(), ...calls]);
  }),
  about('two', 'delete the column {column}.', (reading, sheet) => {
    const column = oneOf(reading.headers.slice(1), reading.random);
    const number = reading.columnOf(column);
    const args = { dimension: COLUMN, index_list: [number] };
    const calls = [find(column), tools.remove.plan(args, why.column, { column, number })];
    return done({ ...sheet, column }, [reading.open(), ...calls]);
  }),
  about('two', 'sort the rows below the header by {column}, the least first.', (reading, sheet) => {
    const column = reading.header(NUMBER_HEADERS);
    const calls = [find(column), ...sortBy(reading, column)];
    return done({ ...sheet, column }, [reading.open(), ...calls]);
  }),
  about('two', 'write what {column} of all rows comes to into {position}.', (reading, sheet) => {
    const column = reading.header(NUMBER_HEADERS);
    const position = reading.freePlace();
    const calls = [look(), overColumn(reading, column, position, 'SUM')];
    return done({ ...sheet, column, position }, [reading.open(), ...calls]);
  }),
];

function sortBy(reading: Reading, column: string): readonly PlannedCall[] {
  const number = reading.columnOf(column);
  return [
    tools.freeze.plan({ dimension: tools.FROZEN.rows, num: 1 }, why.header),
    tools.sort.plan({ col_num: number, order: tools.ORDERS.ascending }, why.column, {
      column,
      number,
    }),
  ];
}

/** Applies an operator to a whole column and writes the result into a cell. */
function overColumn(
  reading: Reading,
  column: string,
  position: string,
  operator: Operator,
): PlannedCall {
  const number = reading.columnOf(column);
  const [first, last] = [reading.at(2, number), reading.at(reading.lastRow, number)];
  return tools.updateByFormula.plan(
    { start_position: first, end_position: last, result_position: position, operator },
    why.below,
    { column, first, last },
  );
}

// --- Rung three: comparing, counting, adding up ----------------------------------------------------

const comparisons: readonly Template<SheetWorld>[] = [
  ...([1, -1] as const).map((sign) =>
    about(
      'three',
      `delete the row with the ${sign === 1 ? 'greatest' : 'least'} {column}.`,
      (reading, sheet) => {
        const column = reading.header(NUMBER_HEADERS);
        const name = greatest(reading.labels, (label) => sign * reading.number(label, column));
        if (name === null) return null;
        const call = deleteRows([reading.rowOf(name)], sign === 1 ? why.most : why.least, { name });
        return done({ ...sheet, column }, [reading.open(), look(), call]);
      },
    ),
  ),
  about('three', 'write who has the greatest {column} into {position}.', (reading, sheet) => {
    const column = reading.header(NUMBER_HEADERS);
    const name = greatest(reading.labels, (label) => reading.number(label, column));
    if (name === null) return null;
    const position = reading.freePlace();
    const calls = [look(), write(position, name, why.most, { name })];
    return done({ ...sheet, column, position }, [reading.open(), ...calls]);
  }),
  about('three', 'write in how many rows {column} is {text} into {position}.', (reading, sheet) => {
    const column = reading.wordColumn();
    const text = oneOf(WORDS[column] ?? [], reading.random);
    const count = rowsWith(reading, column, text).length;
    const position = reading.freePlace();
    const calls = [find(text), write(position, String(count), why.count, { count })];
    return done({ ...sheet, column, text, position }, [reading.open(), ...calls]);
  }),
  about('three', 'write the average of {column} into {position}.', (reading, sheet) => {
    const column = reading.header(NUMBER_HEADERS);
    const numbers = reading.labels.map((label) => reading.number(label, column));
    if (!Number.isInteger(workedOut('AVERAGE', numbers))) return null;
    const position = reading.freePlace();
    const calls = [look(), overColumn(reading, column, position, 'AVERAGE')];
    return done({ ...sheet, column, position }, [reading.open(), ...calls]);
  }),
  about(
    'three',
    'write how much more {column} {name} has than {other} into {position}.',
    (reading, sheet) => {
      const column = reading.header(NUMBER_HEADERS);
      const [name = '', rival = ''] = someOf(reading.labels, 2, reading.random);
      if (reading.number(name, column) <= reading.number(rival, column)) return null;
      const [one = '', other = ''] = [name, rival].map((label) =>
        reading.at(reading.rowOf(label), reading.columnOf(column)),
      );
      const position = reading.freePlace();
      const args = { position_list: [one, other], result_position: position, operator: 'MINUS' };
      const calls = [
        ...[find(name), find(rival), find(column)],
        tools.updateByFormula.plan(args, why.both, { one, other }),
      ];
      return done({ ...sheet, column, name, other: rival, position }, [reading.open(), ...calls]);
    },
  ),
];

/** Counted from 1, as in calls. */
function rowsWith(reading: Reading, column: string, text: string): readonly number[] {
  return reading.labels
    .filter((label) => reading.get(label, column) === text)
    .map((label) => reading.rowOf(label));
}

// --- Rung four: several changes --------------------------------------------------------------------

const several: readonly Template<SheetWorld>[] = [
  about('four', 'delete every row where {column} is {text}.', (reading, sheet) => {
    const column = reading.wordColumn();
    const text = oneOf(WORDS[column] ?? [], reading.random);
    const rows = rowsWith(reading, column, text);
    const calls = [find(text), deleteRows(rows, why.these)];
    return rows.length < 2 ? null : done({ ...sheet, column, text }, [reading.open(), ...calls]);
  }),
  about(
    'four',
    'set {column} to {value} in every row where {other} is {text}.',
    (reading, sheet) => {
      const column = reading.header(NUMBER_HEADERS);
      const other = reading.wordColumn();
      const text = oneOf(WORDS[other] ?? [], reading.random);
      const rows = rowsWith(reading, other, text);
      if (rows.length < 2) return null;
      const value = drawnNumber(reading.random);
      const calls = rows.map((row) =>
        write(reading.at(row, reading.columnOf(column)), value, why.each, { row }),
      );
      return done({ ...sheet, column, value, other, text }, [reading.open(), look(), ...calls]);
    },
  ),
  about(
    'four',
    'add the column total, the sum of {column} and {other} in each row.',
    (reading, sheet) => {
      const [column, other] = someOf(reading.numberColumns(), 2, reading.random);
      if (column === undefined || other === undefined) return null;
      const to = reading.headers.length + 1;
      const calls = reading.labels.map((label) => {
        const row = reading.rowOf(label);
        const cells = [column, other].map((header) => reading.at(row, reading.columnOf(header)));
        const result_position = reading.at(row, to);
        const args = { position_list: cells, result_position, operator: 'SUM' };
        return tools.updateByFormula.plan(args, why.each, { row });
      });
      const header = write(reading.at(1, to), TOTAL, why.title);
      return done({ ...sheet, column, other }, [reading.open(), look(), header, ...calls]);
    },
  ),
  about(
    'four',
    'add a row for {name} with {value} everywhere else, and sort the rows below the header by {column}, the least first.',
    (reading, sheet) => {
      const { headers, labels, random, lastRow } = reading;
      const names = labelsOf(headers[0] ?? '').filter((label) => !labels.includes(label));
      if (names.length === 0) return null;
      const name = oneOf(names, random);
      const column = reading.header(NUMBER_HEADERS);
      const value = drawnNumber(random);
      // With equal values, the order of the two rows would be ambiguous.
      if (labels.some((label) => reading.get(label, column) === value)) return null;
      const row = [name, ...headers.slice(1).map(() => value)];
      const insert = tools.insertRows.plan({ values_list: [row], row_idx: lastRow + 1 }, why.end);
      const calls = [look(), insert, ...sortBy(reading, column)];
      return done({ ...sheet, name, value, column }, [reading.open(), ...calls]);
    },
  ),
];

/** Corrects the first cell that differs from the required one, or opens its sheet if it is not open. */
export function repair(world: SheetWorld, wanted: SheetWorld): PlannedCall | null {
  for (const sheet of wanted.sheets) {
    const now = world.sheets.find(({ name }) => name === sheet.name);
    const [cells, right] = [cellsOf(now ?? sheet), cellsOf(sheet)];
    if (isEqual(cells, right)) continue;
    if (world.open !== sheet.name) {
      return tools.open.plan({ name: sheet.name }, why.open, { sheet: sheet.name });
    }
    for (let row = 0; row < Math.max(cells.length, right.length); row++) {
      for (let column = 0; column < MOST_COLUMNS; column++) {
        const text = right[row]?.[column] ?? '';
        if ((cells[row]?.[column] ?? '') === text) continue;
        return write(nameOfPlace({ row, column }), text, why.mend);
      }
    }
  }
  return null;
}

export const templates: readonly Template<SheetWorld>[] = [
  ...given,
  ...chains,
  ...comparisons,
  ...several,
];
