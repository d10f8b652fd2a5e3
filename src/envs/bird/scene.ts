/** The picture of an episode: the question, the last statement, its rows, and the tables that it read. */

import { isSaidState } from '../said-texts.ts';
import type { EnvironmentOptions } from '../types.ts';
import type { Database, Table } from './database.ts';
import { deskFor } from './desks.ts';
import { type BirdState, lastStatement, MOST_SAID, type Turn } from './episode.ts';
import { faults } from './guard.ts';
import type { Result, Value } from './sqlite.ts';
import { resultText } from './text.ts';

/** A piece of a statement or a question, with the space before it. */
export interface Piece {
  readonly text: string;
  readonly role: 'keyword' | 'name' | 'value' | 'other';
}

/** Rows as they are drawn. */
export interface ShownRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Rows that are not drawn. */
  readonly more: number;
}

export interface ShownTable {
  readonly name: string;
  readonly columns: readonly {
    readonly name: string;
    /** The last statement names it. */
    readonly named: boolean;
  }[];
  readonly rows: readonly {
    readonly key: string;
    readonly cells: readonly string[];
    /** The last statement goes on with it after its conditions. */
    readonly picked: boolean;
  }[];
}

export interface BirdScene {
  readonly schema: string;
  readonly question: readonly Piece[];
  /** The last statement, or what was said in its place; null before. */
  readonly statement: readonly Piece[] | null;
  /** Why there are no rows; null where there are. */
  readonly problem: string | null;
  /** What the last statement comes to. */
  readonly result: ShownRows | null;
  readonly tables: readonly ShownTable[];
  /** The right statement and its rows, once the answer was wrong. */
  readonly right: { readonly statement: readonly Piece[]; readonly result: ShownRows } | null;
  readonly turn: number;
  readonly turnLimit: number;
  readonly outcome: 'running' | 'success' | 'missed';
}

/** Rows of a result that are drawn. */
const MANY_ROWS = 8;

const MOST_TURNS = 5;

/** True for a value that is a state of these environments, as one that came from storage or a worker. */
export const isBirdState = (value: unknown): value is BirdState =>
  isSaidState(value, MOST_TURNS, MOST_SAID);

export function birdScene(options: EnvironmentOptions, state: BirdState): BirdScene {
  const desk = deskFor(options);
  const { task, turns, end } = desk.read(state);
  const { database, question, wanted } = task;
  const last = turns.at(-1);
  const asked = last?.kind === 'not understood' ? undefined : lastStatement(turns);
  const names = wordsOf(database);
  return {
    schema: database.schema.name,
    question: piecesOf(question, names),
    statement: last === undefined ? null : piecesOf(asked?.sql ?? saidIn(last), names),
    problem: problemOf(last, asked?.result),
    result: asked === undefined ? null : shownRows(asked.result),
    tables: database.tables.map((table) => shownTable(database, table, asked?.sql)),
    right:
      end === 'wrong'
        ? { statement: piecesOf(task.sql, names), result: shownRows(wanted) ?? NO_ROWS }
        : null,
    turn: turns.length,
    turnLimit: desk.turns,
    outcome: end === null ? 'running' : end === 'right' ? 'success' : 'missed',
  };
}

const NO_ROWS: ShownRows = { columns: [], rows: [], more: 0 };

/** Without control characters and halves of characters, which a page cannot show. */
const presentable = (text: string): string => text.replace(/[\p{Cc}\p{Cs}]/gu, ' ');

function saidIn(turn: Turn): string {
  const said = turn.kind === 'not understood' ? presentable(turn.said) : '';
  return said.trim() === '' ? '(nothing)' : said;
}

function problemOf(last: Turn | undefined, result: Result | undefined): string | null {
  if (last?.kind === 'not understood') {
    return last.fault === null ? 'There is no statement to submit.' : faults[last.fault];
  }
  return result !== undefined && 'error' in result ? resultText(result) : null;
}

function wordsOf({ tables }: Database): ReadonlySet<string> {
  return new Set(tables.flatMap(({ name, columns }) => [name, ...columns.map((one) => one.name)]));
}

const PIECE = /( ?)('[^']*'|[\w.]+|[^\w ])/g;
const KEYWORDS = new Set([
  ...['SELECT', 'DISTINCT', 'FROM', 'JOIN', 'ON', 'WHERE', 'AND', 'OR', 'BETWEEN', 'LIKE', 'NOT'],
  ...['IN', 'GROUP', 'BY', 'HAVING', 'ORDER', 'ASC', 'DESC', 'LIMIT', 'AS', 'COUNT', 'AVG', 'SUM'],
  ...['MAX', 'MIN', 'UNION', 'EXCEPT', 'INTERSECT', 'CASE', 'WHEN', 'THEN', 'ELSE', 'END', 'IS'],
  'NULL',
]);

/** @param names of tables and columns */
function piecesOf(text: string, names: ReadonlySet<string>): readonly Piece[] {
  return [...text.matchAll(PIECE)].map(([whole, , word = '']) => {
    if (/^('|\d)/.test(word)) return { text: whole, role: 'value' };
    if (names.has(word.split('.').at(-1) ?? '')) return { text: whole, role: 'name' };
    return { text: whole, role: KEYWORDS.has(word) ? 'keyword' : 'other' };
  });
}

function shownRows(result: Result): ShownRows | null {
  if ('error' in result) return null;
  const { columns, rows } = result;
  return {
    columns,
    rows: rows.slice(0, MANY_ROWS).map((row) => row.map(cellText)),
    more: Math.max(0, rows.length - MANY_ROWS),
  };
}

const cellText = (value: Value): string => (value === null ? '–' : String(value));

function shownTable(database: Database, table: Table, sql: string | undefined): ShownTable {
  const named = new Set(sql?.match(/\w+/g) ?? []);
  const picked = sql === undefined ? new Set<string>() : pickedRows(database, table, sql);
  return {
    name: table.name,
    columns: table.columns.map(({ name }) => ({ name, named: named.has(name) })),
    rows: table.rows.map((row) => {
      const key = cellText(row[0] ?? null);
      return { key, cells: row.map(cellText), picked: picked.has(key) };
    }),
  };
}

/**
 * Keys of the rows of a table that a statement goes on with after its conditions: they are asked for in the place
 * of what it selects. None where that cannot be asked, as where the table has another name in the statement.
 */
function pickedRows({ store }: Database, { name }: Table, sql: string): ReadonlySet<string> {
  const words = sql.split(' ');
  let depth = 0;
  let from = -1;
  let to = words.length;
  for (const [i, word] of words.entries()) {
    const upper = word.toUpperCase();
    if (depth === 0 && upper === 'FROM' && from === -1) from = i;
    // Groups have no rows of their own.
    if (depth === 0 && (upper === 'GROUP' || upper === 'HAVING')) to = Math.min(to, i);
    if (depth === 0 && /^(UNION|EXCEPT|INTERSECT)$/.test(upper)) return new Set();
    depth += word.split('(').length - word.split(')').length;
  }
  if (from === -1) return new Set();
  const result = store.ask(`SELECT ${name}.id ${words.slice(from, to).join(' ')}`);
  return new Set('error' in result ? [] : result.rows.map(([key]) => cellText(key ?? null)));
}

/** What the picture shows, in words, for those who do not see it. */
export function describeScene(scene: BirdScene): string {
  const { schema, question, statement, problem, result, right, turn, turnLimit, outcome } = scene;
  const written = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join('');
  const sentences = [`Question to the database ${schema}: ${written(question)}`];
  if (statement !== null) sentences.push(`Statement: ${written(statement)}.`);
  if (problem !== null) sentences.push(problem);
  if (result !== null) sentences.push(`It comes to ${rowsInWords(result)}.`);
  if (outcome !== 'running') {
    sentences.push(`The answer is ${outcome === 'success' ? 'right' : 'wrong'}.`);
  }
  if (right !== null) {
    sentences.push(
      `Right is ${written(right.statement)}, which comes to ${rowsInWords(right.result)}.`,
    );
  }
  sentences.push(`Turn ${turn} of ${turnLimit}.`);
  return sentences.join(' ');
}

function rowsInWords({ rows, more }: ShownRows): string {
  const count = rows.length + more;
  const listed = rows.map((row) => row.join(' ')).join(', ');
  return `${count} ${count === 1 ? 'row' : 'rows'}${count === 0 ? '' : `: ${listed}${more > 0 ? ' and more' : ''}`}`;
}
