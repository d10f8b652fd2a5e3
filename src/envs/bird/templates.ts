/**
 * The questions and their statements, by rung. A template applies to every schema with the columns it needs.
 */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { oneOf, someOf } from '../draws.ts';
import type { Rung } from '../tools/core/kit.ts';
import { type Database, literal, type Table } from './database.ts';
import type { Fillings } from './pattern.ts';
import { type Column, columnsOf } from './schemas.ts';

/** A question about a database and the statement that answers it. */
export interface Plan {
  readonly fillings: Fillings;
  /** In joins, columns are qualified with the table's name. */
  readonly sql: string;
  /**
   * The statement with each condition dropped in turn. A question is used only if every condition makes a
   * difference.
   */
  readonly without: readonly string[];
}

export interface Template {
  readonly rung: Rung;
  readonly question: string;
  /** The expert's thought: a sentence with the placeholders of the question. */
  readonly thought: string;
  /** Null if the database lacks what it needs, or if the answer would be ambiguous. */
  plan(database: Database, random: RandomGenerator): Plan | null;
}

type Draw = (table: Table, random: RandomGenerator) => Plan | null;

const ofTable =
  (draw: Draw): Template['plan'] =>
  ({ tables }, random) =>
    draw(oneOf(tables, random), random);

/** A table and another one that references it. */
interface Pair {
  readonly parent: Table;
  readonly child: Table;
  /** `FROM … JOIN … ON …` */
  readonly from: string;
}

const ofPair =
  (draw: (pair: Pair, random: RandomGenerator) => Plan | null): Template['plan'] =>
  ({ tables }, random) => {
    const children = tables.filter((table) => columnsOf(table, 'reference').length > 0);
    if (children.length === 0) return null;
    const child = oneOf(children, random);
    const { name: key, to } = oneOf(columnsOf(child, 'reference'), random);
    const parent = tables.find(({ name }) => name === to);
    if (parent === undefined) return null;
    const from = `FROM ${parent.name} JOIN ${child.name} ON ${child.name}.${key} = ${parent.name}.id`;
    return draw({ parent, child, from }, random);
  };

/** A random column of a kind; undefined if the table has none. */
function some<Kind extends Column['kind']>(table: Table, kind: Kind, random: RandomGenerator) {
  const found = columnsOf(table, kind);
  return found.length === 0 ? undefined : oneOf(found, random);
}

/** The values of a column. */
const held = (table: Table, { name }: Column) => {
  const at = table.columns.findIndex((column) => column.name === name);
  return table.rows.map((row) => row[at] ?? null);
};

const heldNumbers = (table: Table, column: Column): readonly number[] =>
  held(table, column).map(Number);

/** A random column of words, numbers or names that may be queried; undefined if there is none. */
function drawAsked(
  table: Table,
  random: RandomGenerator,
  but: readonly Column[] = [],
): Column | undefined {
  const columns = tellable(table, but);
  return columns.length === 0 ? undefined : oneOf(columns, random);
}

const tellable = ({ columns }: Table, but: readonly Column[]): readonly Column[] =>
  columns.filter(
    (column) => column.kind !== 'key' && column.kind !== 'reference' && !but.includes(column),
  );

/** A condition that a column equals a word or name from the table; `value` is a literal. */
interface Condition {
  readonly column: Column;
  readonly value: string;
}

function drawCondition(table: Table, random: RandomGenerator): Condition | null {
  const columns = [...columnsOf(table, 'word'), ...columnsOf(table, 'label')];
  if (columns.length === 0) return null;
  const column = oneOf(columns, random);
  return { column, value: literal(oneOf(held(table, column), random)) };
}

/** A number between the least and the greatest value of a column. */
function drawBound(table: Table, column: Column, random: RandomGenerator): number {
  const numbers = heldNumbers(table, column);
  return uniformInt(random, Math.min(...numbers), Math.max(...numbers));
}

/** Whether exactly one row has the greatest or the least value. */
function isClear(numbers: readonly number[], most: boolean): boolean {
  const extreme = most ? Math.max(...numbers) : Math.min(...numbers);
  return numbers.filter((one) => one === extreme).length === 1;
}

// --- Rung one: a table and a condition -------------------------------------------------------------

/** `above` or `below` a number. */
const COMPARED = { above: '>', below: '<' } as const;
const comparisons = Object.entries(COMPARED);

const single: readonly Template[] = [
  {
    rung: 'one',
    question: 'What {asked} do the {table} with {column} {value} have?',
    thought: 'I need {asked} of {table}, where {column} is {value}.',
    plan: ofTable((table, random) => {
      const condition = drawCondition(table, random);
      if (condition === null) return null;
      const { column, value } = condition;
      const asked = drawAsked(table, random, [column]);
      if (asked === undefined) return null;
      const from = `SELECT ${asked.name} FROM ${table.name}`;
      return {
        fillings: { asked: asked.name, table: table.name, column: column.name, value },
        sql: `${from} WHERE ${column.name} = ${value}`,
        without: [from],
      };
    }),
  },
  {
    rung: 'one',
    question: 'What {asked} and {other} do the {table} with {column} {value} have?',
    thought: 'I need {asked} and {other} of {table}, where {column} is {value}.',
    plan: ofTable((table, random) => {
      const condition = drawCondition(table, random);
      if (condition === null) return null;
      const { column, value } = condition;
      const [asked, other] = someOf(tellable(table, [column]), 2, random);
      if (asked === undefined || other === undefined) return null;
      const from = `SELECT ${asked.name}, ${other.name} FROM ${table.name}`;
      const places = { asked: asked.name, other: other.name, table: table.name };
      return {
        fillings: { ...places, column: column.name, value },
        sql: `${from} WHERE ${column.name} = ${value}`,
        without: [from],
      };
    }),
  },
  ...comparisons.map(
    ([words, operator]): Template => ({
      rung: 'one',
      question: `What {asked} do the {table} with {column} ${words} {bound} have?`,
      thought: `I need {asked} of {table}, where {column} is ${words} {bound}.`,
      plan: ofTable((table, random) => {
        const column = some(table, 'number', random);
        if (column === undefined) return null;
        const asked = drawAsked(table, random, [column]);
        if (asked === undefined) return null;
        const bound = drawBound(table, column, random);
        const from = `SELECT ${asked.name} FROM ${table.name}`;
        return {
          fillings: { asked: asked.name, table: table.name, column: column.name, bound },
          sql: `${from} WHERE ${column.name} ${operator} ${bound}`,
          without: [from],
        };
      }),
    }),
  ),
  {
    rung: 'one',
    question: 'What {asked} do the {table} with another {column} than {value} have?',
    thought: 'I need {asked} of {table}, where {column} is not {value}.',
    plan: ofTable((table, random) => {
      const column = some(table, 'word', random);
      if (column === undefined) return null;
      const value = literal(oneOf(held(table, column), random));
      const asked = drawAsked(table, random, [column]);
      if (asked === undefined) return null;
      const from = `SELECT ${asked.name} FROM ${table.name}`;
      return {
        fillings: { asked: asked.name, table: table.name, column: column.name, value },
        sql: `${from} WHERE ${column.name} <> ${value}`,
        without: [from],
      };
    }),
  },
];

// --- Rung two: counts, sums, two conditions, the first row of a sorted table --------------------------

/** Aggregates of a column and their words in the question. */
const AGGREGATES = {
  AVG: 'the average',
  SUM: 'the sum of the',
  MAX: 'the greatest',
  MIN: 'the least',
} as const;
const aggregates = Object.entries(AGGREGATES);

const ORDERS = { DESC: 'greatest', ASC: 'least' } as const;
const orders = Object.entries(ORDERS);

const combined: readonly Template[] = [
  {
    rung: 'two',
    question: 'How many {table} have {column} {value}?',
    thought: 'I count the {table}, where {column} is {value}.',
    plan: ofTable((table, random) => {
      const column = some(table, 'word', random);
      if (column === undefined) return null;
      const value = literal(oneOf(held(table, column), random));
      const from = `SELECT COUNT(*) FROM ${table.name}`;
      return {
        fillings: { table: table.name, column: column.name, value },
        sql: `${from} WHERE ${column.name} = ${value}`,
        without: [from],
      };
    }),
  },
  ...aggregates.map(
    ([name, words]): Template => ({
      rung: 'two',
      question: `What is ${words} {asked} of the {table} with {column} {value}?`,
      thought: `I need ${words} {asked} of {table}, where {column} is {value}.`,
      plan: ofTable((table, random) => {
        const [asked, column] = [some(table, 'number', random), some(table, 'word', random)];
        if (asked === undefined || column === undefined) return null;
        const value = literal(oneOf(held(table, column), random));
        const from = `SELECT ${name} (${asked.name}) FROM ${table.name}`;
        return {
          fillings: { asked: asked.name, table: table.name, column: column.name, value },
          sql: `${from} WHERE ${column.name} = ${value}`,
          without: [from],
        };
      }),
    }),
  ),
  ...orders.map(
    ([order, words]): Template => ({
      rung: 'two',
      question: `What {asked} do the {table} with the ${words} {column} have?`,
      thought: `I put the {table} in the order of {column} and take {asked} of the first.`,
      plan: ofTable((table, random) => {
        const column = some(table, 'number', random);
        if (column === undefined || !isClear(heldNumbers(table, column), order === 'DESC')) {
          return null;
        }
        const asked = drawAsked(table, random, [column]);
        if (asked === undefined) return null;
        return {
          fillings: { asked: asked.name, table: table.name, column: column.name },
          sql: `SELECT ${asked.name} FROM ${table.name} ORDER BY ${column.name} ${order} LIMIT 1`,
          without: [`SELECT ${asked.name} FROM ${table.name} LIMIT 1`],
        };
      }),
    }),
  ),
  ...comparisons.map(
    ([words, operator]): Template => ({
      rung: 'two',
      question: `What {asked} do the {table} with {column} {value} and {number} ${words} {bound} have?`,
      thought: `I need {asked} of {table}, where {column} is {value} and {number} is ${words} {bound}.`,
      plan: ofTable((table, random) => {
        const [column, number] = [some(table, 'word', random), some(table, 'number', random)];
        if (column === undefined || number === undefined) return null;
        const value = literal(oneOf(held(table, column), random));
        const bound = drawBound(table, number, random);
        const [one, two] = [`${column.name} = ${value}`, `${number.name} ${operator} ${bound}`];
        const asked = drawAsked(table, random, [column, number]);
        if (asked === undefined) return null;
        const from = `SELECT ${asked.name} FROM ${table.name} WHERE`;
        const places = { asked: asked.name, table: table.name, column: column.name };
        return {
          fillings: { ...places, value, number: number.name, bound },
          sql: `${from} ${one} AND ${two}`,
          without: [`${from} ${one}`, `${from} ${two}`],
        };
      }),
    }),
  ),
  {
    rung: 'two',
    question: 'What {asked} do the {table} with {column} {value} or {other} have?',
    thought: 'I need {asked} of {table}, where {column} is {value} or {other}.',
    plan: ofTable((table, random) => {
      const column = some(table, 'word', random);
      if (column === undefined) return null;
      const [value, other] = someOf([...new Set(held(table, column))], 2, random).map(literal);
      if (value === undefined || other === undefined) return null;
      const asked = drawAsked(table, random, [column]);
      if (asked === undefined) return null;
      const from = `SELECT ${asked.name} FROM ${table.name}`;
      const [one, two] = [value, other].map((text) => `${column.name} = ${text}`);
      return {
        fillings: { asked: asked.name, table: table.name, column: column.name, value, other },
        sql: `${from} WHERE ${one} OR ${two}`,
        without: [from, `${from} WHERE ${one}`, `${from} WHERE ${two}`],
      };
    }),
  },
  {
    rung: 'two',
    question: 'What {asked} do the {table} with {column} from {bound} to {end} have?',
    thought: 'I need {asked} of {table}, where {column} is between {bound} and {end}.',
    plan: ofTable((table, random) => {
      const column = some(table, 'number', random);
      if (column === undefined) return null;
      const [bound, end] = [0, 0].map(() => drawBound(table, column, random)).sort((a, b) => a - b);
      if (bound === undefined || end === undefined || bound === end) return null;
      const asked = drawAsked(table, random, [column]);
      if (asked === undefined) return null;
      const from = `SELECT ${asked.name} FROM ${table.name}`;
      return {
        fillings: { asked: asked.name, table: table.name, column: column.name, bound, end },
        sql: `${from} WHERE ${column.name} BETWEEN ${bound} AND ${end}`,
        without: [
          `${from} WHERE ${column.name} >= ${bound}`,
          `${from} WHERE ${column.name} <= ${end}`,
        ],
      };
    }),
  },
];

// --- Rung three: two tables ------------------------------------------------------------------------

const joined: readonly Template[] = [
  {
    rung: 'three',
    question: 'What {asked} do the {child} of the {table} with {column} {value} have?',
    thought: 'I join {child} with {table} and need {asked}, where {column} is {value}.',
    plan: ofPair(({ parent, child, from }, random) => {
      const condition = drawCondition(parent, random);
      if (condition === null) return null;
      const { column, value } = condition;
      const asked = drawAsked(child, random);
      if (asked === undefined) return null;
      const select = `SELECT ${child.name}.${asked.name} ${from}`;
      return {
        fillings: {
          ...{ asked: asked.name, child: child.name, table: parent.name },
          ...{ column: column.name, value },
        },
        sql: `${select} WHERE ${parent.name}.${column.name} = ${value}`,
        without: [select],
      };
    }),
  },
  {
    rung: 'three',
    question: 'What {asked} do the {table} have that have {child} with {column} {value}?',
    thought: 'I join {table} with {child} and need {asked}, where {column} is {value}.',
    plan: ofPair(({ parent, child, from }, random) => {
      const column = some(child, 'word', random);
      if (column === undefined) return null;
      const value = literal(oneOf(held(child, column), random));
      const asked = drawAsked(parent, random);
      if (asked === undefined) return null;
      const select = `SELECT ${parent.name}.${asked.name} ${from}`;
      return {
        fillings: {
          ...{ asked: asked.name, table: parent.name, child: child.name },
          ...{ column: column.name, value },
        },
        sql: `${select} WHERE ${child.name}.${column.name} = ${value}`,
        without: [select, `SELECT ${asked.name} FROM ${parent.name}`],
      };
    }),
  },
  {
    rung: 'three',
    question: 'How many {child} have the {table} with {column} {value}?',
    thought: 'I join {child} with {table} and count, where {column} is {value}.',
    plan: ofPair(({ parent, child, from }, random) => {
      const condition = drawCondition(parent, random);
      if (condition === null) return null;
      const { column, value } = condition;
      return {
        fillings: { child: child.name, table: parent.name, column: column.name, value },
        sql: `SELECT COUNT(*) ${from} WHERE ${parent.name}.${column.name} = ${value}`,
        without: [
          `SELECT COUNT(*) ${from}`,
          `SELECT COUNT(*) FROM ${parent.name} WHERE ${column.name} = ${value}`,
        ],
      };
    }),
  },
  {
    rung: 'three',
    question: 'What is the sum of the {asked} of the {child} of the {table} with {column} {value}?',
    thought: 'I join {child} with {table} and add up {asked}, where {column} is {value}.',
    plan: ofPair(({ parent, child, from }, random) => {
      const condition = drawCondition(parent, random);
      const asked = some(child, 'number', random);
      if (condition === null || asked === undefined) return null;
      const { column, value } = condition;
      const select = `SELECT SUM (${child.name}.${asked.name}) ${from}`;
      return {
        fillings: {
          ...{ asked: asked.name, child: child.name, table: parent.name },
          ...{ column: column.name, value },
        },
        sql: `${select} WHERE ${parent.name}.${column.name} = ${value}`,
        without: [select],
      };
    }),
  },
  ...orders.map(
    ([order, words]): Template => ({
      rung: 'three',
      question: `What {asked} do the {table} of the {child} with the ${words} {column} have?`,
      thought: 'I join {table} with {child}, put them in the order of {column} and take {asked}.',
      plan: ofPair(({ parent, child, from }, random) => {
        const column = some(child, 'number', random);
        if (column === undefined || !isClear(heldNumbers(child, column), order === 'DESC')) {
          return null;
        }
        const asked = drawAsked(parent, random);
        if (asked === undefined) return null;
        const select = `SELECT ${parent.name}.${asked.name} ${from}`;
        return {
          fillings: {
            ...{ asked: asked.name, table: parent.name, child: child.name },
            column: column.name,
          },
          sql: `${select} ORDER BY ${child.name}.${column.name} ${order} LIMIT 1`,
          without: [`${select} LIMIT 1`],
        };
      }),
    }),
  ),
];

// --- Rung four: groups and subqueries ----------------------------------------------------------------

const grouped: readonly Template[] = [
  {
    rung: 'four',
    question: 'How many {table} are there of each {column}?',
    thought: 'I count the {table} in groups by {column}.',
    plan: ofTable((table, random) => {
      const column = some(table, 'word', random);
      if (column === undefined) return null;
      return {
        fillings: { table: table.name, column: column.name },
        sql: `SELECT ${column.name}, COUNT(*) FROM ${table.name} GROUP BY ${column.name}`,
        without: [`SELECT ${column.name}, COUNT(*) FROM ${table.name}`],
      };
    }),
  },
  ...aggregates.map(
    ([name, words]): Template => ({
      rung: 'four',
      question: `What is ${words} {asked} of the {table} of each {column}?`,
      thought: `I need ${words} {asked} of {table} in groups by {column}.`,
      plan: ofTable((table, random) => {
        const [asked, column] = [some(table, 'number', random), some(table, 'word', random)];
        if (asked === undefined || column === undefined) return null;
        const select = `SELECT ${column.name}, ${name} (${asked.name}) FROM ${table.name}`;
        return {
          fillings: { asked: asked.name, table: table.name, column: column.name },
          sql: `${select} GROUP BY ${column.name}`,
          without: [select],
        };
      }),
    }),
  ),
  {
    rung: 'four',
    question: 'What {column} do more than {bound} {table} have?',
    thought: 'I take {table} in groups by {column} and keep those with more than {bound}.',
    plan: ofTable((table, random) => {
      const column = some(table, 'word', random);
      if (column === undefined) return null;
      const bound = uniformInt(random, 1, 4);
      const select = `SELECT ${column.name} FROM ${table.name} GROUP BY ${column.name}`;
      return {
        fillings: { column: column.name, bound, table: table.name },
        sql: `${select} HAVING COUNT(*) > ${bound}`,
        without: [select],
      };
    }),
  },
  ...comparisons.map(
    ([words, operator]): Template => ({
      rung: 'four',
      question: `What {asked} do the {table} with {column} ${words} the average have?`,
      thought: `I need {asked} of {table}, where {column} is ${words} the average of {column}.`,
      plan: ofTable((table, random) => {
        const column = some(table, 'number', random);
        if (column === undefined) return null;
        const asked = drawAsked(table, random, [column]);
        if (asked === undefined) return null;
        const select = `SELECT ${asked.name} FROM ${table.name}`;
        const average = `(SELECT AVG (${column.name}) FROM ${table.name})`;
        return {
          fillings: { asked: asked.name, table: table.name, column: column.name },
          sql: `${select} WHERE ${column.name} ${operator} ${average}`,
          without: [select],
        };
      }),
    }),
  ),
  {
    rung: 'four',
    question: 'What {asked} do the {table} have that have no {child}?',
    thought: 'I need {asked} of {table}, which no row of {child} refers to.',
    plan: ofPair(({ parent, child, from }, random) => {
      const asked = drawAsked(parent, random);
      if (asked === undefined) return null;
      const select = `SELECT ${asked.name} FROM ${parent.name}`;
      const key = columnsOf(child, 'reference').find(({ to }) => to === parent.name)?.name ?? '';
      return {
        fillings: { asked: asked.name, table: parent.name, child: child.name },
        sql: `${select} WHERE id NOT IN (SELECT ${key} FROM ${child.name})`,
        without: [select, `SELECT ${parent.name}.${asked.name} ${from}`],
      };
    }),
  },
  {
    rung: 'four',
    question: 'What is the sum of the {asked} of the {child} for each {column} of the {table}?',
    thought: 'I join {child} with {table} and add up {asked} in groups by {column}.',
    plan: ofPair(({ parent, child, from }, random) => {
      const asked = some(child, 'number', random);
      const column = some(parent, oneOf(['word', 'label'] as const, random), random);
      if (asked === undefined || column === undefined) return null;
      const group = `${parent.name}.${column.name}`;
      const select = `SELECT ${group}, SUM (${child.name}.${asked.name}) ${from}`;
      return {
        fillings: {
          ...{ asked: asked.name, child: child.name },
          ...{ column: column.name, table: parent.name },
        },
        sql: `${select} GROUP BY ${group}`,
        without: [select],
      };
    }),
  },
];

export const templates: readonly Template[] = [...single, ...combined, ...joined, ...grouped];
