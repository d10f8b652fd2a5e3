/**
 * Decides which statements SQLite runs. The sql.js package cannot interrupt a statement that runs too long,
 * so everything that could run long is refused. A statement visits at most n^`MOST_TABLES` rows, where n is
 * the number of rows of the largest table, and no function or operator builds long texts.
 */

/** Maximum length of a statement in characters. */
export const MOST_CHARACTERS = 600;
/** Maximum number of tables in a statement, counting repetitions. */
const MOST_TABLES = 4;
/** Maximum number of SELECTs in a statement. */
const MOST_SELECTS = 4;

/** Why a text is refused. */
export const faults = {
  long: 'Invalid action: it is too long.',
  format: 'Invalid action: write one SELECT statement with single spaces.',
  more: 'Invalid action: write one statement only.',
  comment: 'Invalid action: leave out comments.',
  word: 'Invalid action: WITH, VALUES, || and the present time are not available.',
  function: 'Invalid action: there is no such function.',
  source: 'Invalid action: only the tables of the database can be read.',
  work: `Invalid action: a statement may name ${MOST_TABLES} tables and have ${MOST_SELECTS} SELECTs.`,
} as const;

export type Fault = keyof typeof faults;

const FUNCTIONS = new Set([
  ...['abs', 'avg', 'coalesce', 'count', 'ifnull', 'iif', 'length', 'lower', 'max', 'min'],
  ...['nullif', 'round', 'substr', 'sum', 'total', 'upper'],
]);

/** Keywords that may precede a parenthesis without being functions. */
const BEFORE_BRACKETS = new Set([
  ...['select', 'distinct', 'all', 'from', 'join', 'on', 'using', 'where', 'having', 'by', 'as'],
  ...['and', 'or', 'not', 'in', 'is', 'between', 'like', 'exists', 'case', 'when', 'then', 'else'],
  ...['union', 'except', 'intersect', 'limit', 'offset', 'cast', 'over'],
]);

const FORBIDDEN = new Set([
  ...['with', 'values', 'recursive', '||'],
  // Statements must return the same rows at any time.
  ...['current_date', 'current_time', 'current_timestamp'],
]);

/** SQLite's internal tables. */
const OWN_TABLES = /^(sqlite|pragma|json|jsonb|fts\d?|dbstat|bytecode|tables_used)/;

/** Quoted texts of any kind, comments, numbers, words, operators. */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--|\/\*|\|\||[a-z_][a-z0-9_$]*|\d[a-z0-9_.]*|[^ ]/gi;

const isQuoted = (token: string) => /^['"`[]/.test(token) && token.length > 1;

/** A token without its quotes, in lower case. */
const bare = (token: string) => (isQuoted(token) ? token.slice(1, -1) : token).toLowerCase();

/**
 * Why a text is not passed to SQLite; null if it is.
 * @param tables names of the database's tables, in lower case
 */
export function guardFault(text: string, tables: ReadonlySet<string>): Fault | null {
  if (text.length > MOST_CHARACTERS) return 'long';
  if (!/^SELECT [\x21-\x7e]+( [\x21-\x7e]+)*$/i.test(text)) return 'format';
  const tokens = text.match(TOKEN) ?? [];
  const words = tokens.map(bare);
  let [named, selects] = [0, 0];
  for (const [i, token] of tokens.entries()) {
    const word = words[i] ?? '';
    const next = tokens[i + 1];
    if (token === '--' || token === '/*') return 'comment';
    if (token === ';' && next !== undefined) return 'more';
    if (!isQuoted(token) && FORBIDDEN.has(word)) return 'word';
    if (next === '(' && isName(token) && !mayBeCalled(token)) return 'function';
    if (OWN_TABLES.test(word)) return 'source';
    if (!isQuoted(token) && word === 'select') selects++;
    // In `items.name`, `items` refers to a table that is named elsewhere.
    if (tables.has(word) && next !== '.') named++;
  }
  return named > MOST_TABLES || selects > MOST_SELECTS ? 'work' : null;
}

const isName = (token: string) => isQuoted(token) || /^[a-z_]/i.test(token);

function mayBeCalled(token: string): boolean {
  const word = token.toLowerCase();
  return !isQuoted(token) && (FUNCTIONS.has(word) || BEFORE_BRACKETS.has(word));
}
