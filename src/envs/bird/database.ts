/** The databases: several per schema, with different rows, drawn from a seed and created on first use. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { oneOf, someOf } from '../draws.ts';
import { fnv1a } from '../hash.ts';
import { type Column, type Schema, schemas, type TableSchema } from './schemas.ts';
import { Store, type Value } from './sqlite.ts';

/** Databases per schema. */
export const VARIANTS = 8;

const FEWEST_ROWS = 6;
const MOST_ROWS = 12;

export interface Table extends TableSchema {
  readonly rows: readonly (readonly Value[])[];
}

export interface Database {
  readonly schema: Schema;
  readonly tables: readonly Table[];
  /** Names of the tables. */
  readonly names: ReadonlySet<string>;
  readonly store: Store;
}

const databases = new Map<string, Database>();

/** Throws a RangeError for an unknown schema. */
export function databaseOf(schemaIndex: number, variant: number): Database {
  const schema = schemas[schemaIndex];
  if (schema === undefined) throw new RangeError(`there is no schema ${schemaIndex}`);
  const key = `${schema.name} ${variant}`;
  let database = databases.get(key);
  if (database === undefined) {
    const tables = drawTables(schema, mersenne(fnv1a(key)));
    const names = new Set(tables.map(({ name }) => name));
    database = { schema, tables, names, store: new Store(scriptOf(tables)) };
    databases.set(key, database);
  }
  return database;
}

function drawTables({ tables }: Schema, random: RandomGenerator): readonly Table[] {
  const drawn: Table[] = [];
  for (const { name, columns } of tables) {
    const labels = columns.flatMap((column) => (column.kind === 'label' ? [column] : []));
    const room = Math.min(MOST_ROWS, ...labels.map(({ values }) => values.length));
    const count = uniformInt(random, FEWEST_ROWS, room);
    const filled = columns.map((column) => filling(column, count, drawn, random));
    const rows = Array.from({ length: count }, (_, i) => filled.map((of) => of[i] ?? null));
    drawn.push({ name, columns, rows });
  }
  return drawn;
}

/** The values of a column, row by row. */
function filling(
  column: Column,
  count: number,
  earlier: readonly Table[],
  random: RandomGenerator,
): readonly Value[] {
  const each = (draw: (row: number) => Value) => Array.from({ length: count }, (_, i) => draw(i));
  switch (column.kind) {
    case 'key':
      return each((row) => row + 1);
    case 'label':
      return someOf(column.values, count, random);
    case 'word':
      return each(() => oneOf(column.values, random));
    case 'number':
      return each(() => uniformInt(random, column.least, column.most));
    case 'reference': {
      const most = earlier.find(({ name }) => name === column.to)?.rows.length ?? 1;
      return each(() => uniformInt(random, 1, most));
    }
    default:
      return column satisfies never;
  }
}

/** A value as an SQL literal. */
export const literal = (value: Value): string =>
  typeof value === 'string' ? `'${value}'` : String(value);

function scriptOf(tables: readonly Table[]): string {
  const statements = tables.map(({ name, columns, rows }) => {
    const declared = columns.map((column) => `${column.name} ${typeOf(column)}`);
    const values = rows.map((row) => `(${row.map(literal).join(', ')})`);
    return `CREATE TABLE ${name} (${declared.join(', ')}); INSERT INTO ${name} VALUES ${values.join(', ')};`;
  });
  return ['BEGIN;', ...statements, 'COMMIT;'].join(' ');
}

function typeOf(column: Column): string {
  switch (column.kind) {
    case 'key':
      return 'INTEGER PRIMARY KEY';
    case 'label':
    case 'word':
      return 'TEXT';
    case 'number':
      return 'INTEGER';
    case 'reference':
      return `INTEGER REFERENCES ${column.to} (id)`;
    default:
      return column satisfies never;
  }
}
