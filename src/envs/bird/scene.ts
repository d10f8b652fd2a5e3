/** The data that the view draws: the question, the last statement, its rows, and the tables it read. */

import { isTranscriptState } from '../said-texts.ts';
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

/** Rows to draw. */
export interface ShownRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Number of rows that are not drawn. */
  readonly more: number;
}

export interface ShownTable {
  readonly name: string;
  readonly columns: readonly {
    readonly name: string;
    /** Whether the last statement names it. */
    readonly named: boolean;
  }[];
  readonly rows: readonly {
    readonly key: string;
    readonly cells: readonly string[];
    /** Whether it passed the conditions of the last statement. */
    readonly picked: boolean;
  }[];
}

export interface BirdScene {
  readonly schema: string;
  readonly question: readonly Piece[];
  /** The last statement, or the text written instead of one; null before the first turn. */
  readonly statement: readonly Piece[] | null;
  /** Why the last text has no result; null if it has one, and before the first turn. */
  readonly problem: string | null;
  /** The result of the last statement. */
  readonly result: ShownRows | null;
  readonly tables: readonly ShownTable[];
  /** The correct statement and its rows, after a wrong answer. */
  readonly right: { readonly statement: readonly Piece[]; readonly result: ShownRows } | null;
  readonly turn: number;
  readonly turnLimit: number;
  readonly outcome: 'running' | 'success' | 'missed';
}

/** Maximum number of rows drawn of a result. */
const MANY_ROWS = 8;

const MOST_TURNS = 5;

/** Whether a value from storage or a worker is a state of these environments. */
export const isBirdState = (value: unknown): value is BirdState =>
  isTranscriptState(value, MOST_TURNS, MOST_SAID);

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

/** Replaces control characters and lone surrogates, which a page cannot show, with spaces. */
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
 * Keys of the rows of a table that pass the conditions of a statement, found by selecting the keys in place
 * of its columns. Empty if that is impossible, for example if the statement gives the table an alias.
 */
function pickedRows({ store }: Database, { name }: Table, sql: string): ReadonlySet<string> {
  const words = sql.split(' ');
  let depth = 0;
  let from = -1;
  let to = words.length;
  for (const [i, word] of words.entries()) {
    const upper = word.toUpperCase();
    if (depth === 0 && upper === 'FROM' && from === -1) from = i;
    // Groups do not correspond to single rows.
    if (depth === 0 && (upper === 'GROUP' || upper === 'HAVING')) to = Math.min(to, i);
    if (depth === 0 && /^(UNION|EXCEPT|INTERSECT)$/.test(upper)) return new Set();
    depth += word.split('(').length - word.split(')').length;
  }
  if (from === -1) return new Set();
  const result = store.ask(`SELECT ${name}.id ${words.slice(from, to).join(' ')}`);
  return new Set('error' in result ? [] : result.rows.map(([key]) => cellText(key ?? null)));
}

/** Text description of the scene for screen readers. */
export function describeScene(scene: BirdScene): string {
  const { schema, question, statement, problem, result, right, turn, turnLimit, outcome } = scene;
  const written = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join('');
  const sentences = [`Question to the database ${schema}: ${written(question)}`];
  if (statement !== null) sentences.push(`Statement: ${written(statement)}.`);
  if (problem !== null) sentences.push(problem);
  if (result !== null) sentences.push(`It returns ${rowsInWords(result)}.`);
  if (outcome !== 'running') {
    sentences.push(`The answer is ${outcome === 'success' ? 'correct' : 'wrong'}.`);
  }
  if (right !== null) {
    sentences.push(
      `The correct statement is ${written(right.statement)}; it returns ${rowsInWords(right.result)}.`,
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
