/** The texts of observations, and all lexemes. */

import { RUNGS } from '../tools/core/kit.ts';
import { phrasesOf } from '../tools/core/pattern.ts';
import { literal } from './database.ts';
import { type Fault, faults } from './guard.ts';
import { type Schema, schemas, type TableSchema } from './schemas.ts';
import { type Result, TOO_MANY_ROWS, type Value } from './sqlite.ts';
import { templates } from './templates.ts';

/** Ends an episode of several turns. */
export const SUBMIT = 'submit';

const RESULT = 'Result:';
const NEXT = 'Write another statement, or submit the last one.';
export const RIGHT = 'The answer is right.';
export const WRONG = 'The answer is wrong.';
const NOTHING = 'Invalid action: there is no statement to submit.';
const NULL = 'None';
const MORE = '…';

/** Largest number with a lexeme, including sums and counts. */
const MOST_SHOWN = 300;
/** Maximum number of characters of shown rows. */
const SHOWN_CHARACTERS = 100;

/** The schema of a database, as text before the question. */
function patternOf({ name, tables }: Schema): string {
  const listed = (names: readonly { readonly name: string }[]) =>
    names.map((one) => one.name).join(', ');
  return [
    `${name} contains tables such as ${listed(tables)}.`,
    ...tables.map(
      (table) =>
        `Table ${table.name} has columns such as ${listed(table.columns)}. id is the primary key.`,
    ),
    ...tables.flatMap(referencesOf),
  ].join(' ');
}

function referencesOf({ name, columns }: TableSchema): readonly string[] {
  return columns.flatMap((column) =>
    column.kind === 'reference'
      ? [`The ${column.name} of ${name} is the foreign key of id of ${column.to}.`]
      : [],
  );
}

const PATTERN_PHRASES = [
  ...['contains tables such as', 'Table', 'has columns such as', 'is the primary key.'],
  ...['The', 'of', 'is the foreign key of'],
];

const described = new Map(schemas.map((schema) => [schema.name, patternOf(schema)]));

export function firstObservation({ name }: Schema, question: string): string {
  return `${described.get(name)} ${question}`;
}

/** SQLite's messages without the word they quote. */
const ERRORS: readonly (readonly [RegExp, string])[] = [
  [/^near .*: syntax error$/, 'syntax error'],
  [/^incomplete input$/, 'incomplete input'],
  [/^unrecognized token/, 'unrecognized token'],
  [/^no such column/, 'no such column'],
  [/^no such table/, 'no such table'],
  [/^no such function/, 'no such function'],
  [/^ambiguous column name/, 'ambiguous column name'],
  [/^misuse of aggregate/, 'misuse of aggregate'],
  [/^misuse of window function/, 'misuse of window function'],
  [/^wrong number of arguments/, 'wrong number of arguments to function'],
  [/same number of result columns/, 'SELECTs do not have the same number of result columns'],
  [/^(row value misused|sub-select returns)/, 'row value misused'],
  [/term out of range/, 'term out of range'],
  [/^HAVING clause on a non-aggregate query$/, 'HAVING clause on a non-aggregate query'],
  [/^too many rows$/, TOO_MANY_ROWS],
];
const OTHER_ERROR = 'the statement cannot be run';

const errorText = (message: string): string =>
  `Error: ${ERRORS.find(([pattern]) => pattern.test(message))?.[1] ?? OTHER_ERROR}.`;

/** Rows in the original's format, Python's lists of tuples. Values without a lexeme are omitted. */
export function resultText(result: Result): string {
  if ('error' in result) return errorText(result.error);
  const tuples = result.rows.map((row) =>
    row.length === 1 ? `(${valueText(row[0])},)` : `(${row.map(valueText).join(', ')})`,
  );
  let shown = tuples.length;
  while (shown > 0 && tuples.slice(0, shown).join(', ').length > SHOWN_CHARACTERS) shown--;
  const cut = [...tuples.slice(0, shown), ...(shown < tuples.length ? [MORE] : [])];
  return `${RESULT} [${cut.join(', ')}]`;
}

const valueText = (value: Value | undefined): string => {
  if (value === null || value === undefined) return NULL;
  return isShown(value) ? literal(value) : MORE;
};

/** Whether a value has a lexeme. */
export function isShown(value: Value): boolean {
  return value !== null && shown.has(literal(value));
}

/** The observation after a text that was not passed to SQLite; `null` if there was nothing to submit. */
export const faultText = (fault: Fault | null): string =>
  fault === null ? NOTHING : faults[fault];

export const withNext = (text: string): string => `${text} ${NEXT}`;
export const withVerdict = (text: string, right: boolean): string =>
  `${text} ${right ? RIGHT : WRONG}`;

const NUMBERS = Array.from({ length: MOST_SHOWN + 1 }, (_, n) => n);

const allTables: readonly TableSchema[] = schemas.flatMap(({ tables }) => tables);
const allColumns = allTables.flatMap(({ columns }) => columns);
const words: readonly string[] = allColumns.flatMap((column) =>
  'values' in column ? column.values : [],
);
const names: readonly string[] = [
  ...[...schemas, ...allTables, ...allColumns].map(({ name }) => name),
  ...allTables.flatMap((table) => table.columns.map((column) => `${table.name}.${column.name}`)),
];
const shown: ReadonlySet<string> = new Set([...NUMBERS, ...words].map(literal));

/** Parts of statements other than names and values. */
const SQL = [
  ...['SELECT', 'SELECT DISTINCT', 'FROM', 'JOIN', 'ON', 'WHERE', 'AND', 'OR', 'BETWEEN', 'LIKE'],
  ...['NOT', 'NOT IN', 'IN', 'GROUP BY', 'HAVING', 'ORDER BY', 'ASC', 'DESC', 'LIMIT', 'AS'],
  ...['COUNT(*)', 'COUNT', 'AVG', 'SUM', 'MAX', 'MIN', '=', '<>', '<', '>', '<=', '>='],
];
const MARKS = ['(', ')', '[', ']', ',', '.', '?'];

const several = (isSeveral: boolean, texts: readonly string[]) => (isSeveral ? texts : []);

/** @param isSeveral whether an episode has several turns */
export function lexiconOf(isSeveral: boolean): readonly string[] {
  return [
    ...new Set([
      ...SQL,
      ...MARKS,
      ...names,
      ...shown,
      ...PATTERN_PHRASES,
      ...RUNGS.flatMap((rung) =>
        templates.filter((template) => template.rung === rung).map(({ question }) => question),
      ).flatMap(phrasesOf),
      ...[RESULT, NULL, MORE, RIGHT, WRONG],
      ...several(isSeveral, [SUBMIT, NEXT, NOTHING]),
      ...Object.values(faults),
      ...[...ERRORS.map(([, text]) => text), OTHER_ERROR].map((text) => `Error: ${text}.`),
    ]),
  ];
}

export function thoughtLexiconOf(isSeveral: boolean): readonly string[] {
  const known = new Set(lexiconOf(isSeveral));
  const phrases = [...templates.map(({ thought }) => thought), SUBMIT_THOUGHT].flatMap(phrasesOf);
  return [...new Set(phrases)].filter((phrase) => !known.has(phrase));
}

export const SUBMIT_THOUGHT = 'These are the rows that the question asks for.';

/** The first message of an exported trajectory. */
export function instructionOf(turns: number): string {
  const ending =
    turns === 1
      ? 'You have one statement, and it is your answer.'
      : `You see its rows or SQLite's error, and may write others: you have ${turns} turns. Write ${SUBMIT} once the last statement is your answer.`;
  return `You answer questions about a database by SQL. You read how its tables are built, and then the question. Write one SELECT statement for SQLite in one line, with single spaces. ${ending} The answer is right if the statement comes to the same rows as the right one, in any order. For example
SELECT name FROM items WHERE price > 20`;
}
