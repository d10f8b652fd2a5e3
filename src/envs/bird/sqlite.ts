/** SQLite in WebAssembly: in-memory databases that are filled once and then read-only. */

import initSqlJs, { type Database, type SqlJs, type SqlValue } from 'sql.js';

/** URL of SQLite's WebAssembly file in a browser; in Node, sql.js finds it in the package. */
const AT_HOST = new URL('sql.js/dist/sql-wasm-browser.wasm', import.meta.url).href;

let sqlite: SqlJs | null = null;

/** Starts SQLite once, asynchronously. Everything below requires it. */
export async function startSqlite(): Promise<void> {
  sqlite ??= await initSqlJs({
    locateFile: (file, folder) => (file === 'sql-wasm-browser.wasm' ? AT_HOST : folder + file),
  });
}

/** Whether `startSqlite` has completed. */
export const isSqliteThere = (): boolean => sqlite !== null;

/** A value in a row. */
export type Value = number | string | null;

/** The result of a statement. */
export type Result =
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly Value[])[] }
  /** SQLite's own message. */
  | { readonly error: string };

/** Maximum number of rows; longer results are errors. */
export const MOST_ROWS = 1000;
export const TOO_MANY_ROWS = 'too many rows';

/** Maximum number of cached results per database. The cache is cleared when full. */
const REMEMBERED = 500;

/** A read-only database. */
export class Store {
  readonly #database: Database;
  readonly #results = new Map<string, Result>();

  /** @param script the statements that fill it */
  constructor(script: string) {
    if (sqlite === null) throw new Error('SQLite has not been started; await startSqlite first');
    this.#database = new sqlite.Database();
    this.#database.run(script);
    this.#database.run('PRAGMA query_only = 1');
  }

  /** @param statement one that `guardFault` accepts, because nothing else bounds its cost */
  ask(statement: string): Result {
    let result = this.#results.get(statement);
    if (result === undefined) {
      result = this.#read(statement);
      if (this.#results.size >= REMEMBERED) this.#results.clear();
      this.#results.set(statement, result);
    }
    return result;
  }

  #read(text: string): Result {
    try {
      const statement = this.#database.prepare(text);
      try {
        const rows: Value[][] = [];
        while (statement.step()) {
          if (rows.length === MOST_ROWS) return { error: TOO_MANY_ROWS };
          rows.push(statement.get().map(plain));
        }
        return { columns: statement.getColumnNames(), rows };
      } finally {
        statement.free();
      }
    } catch (thrown) {
      return { error: thrown instanceof Error ? thrown.message : String(thrown) };
    }
  }
}

/** The databases contain no blobs; a blob equals no value. */
const plain = (value: SqlValue): Value => (value instanceof Uint8Array ? `bytes ${value}` : value);

/** Whether two results have the same rows, regardless of order and duplicates. */
export function sameRows(a: Result, b: Result): boolean {
  if ('error' in a || 'error' in b) return false;
  const [inA, inB] = [rowSet(a.rows), rowSet(b.rows)];
  return inA.size === inB.size && [...inA].every((row) => inB.has(row));
}

const rowSet = (rows: readonly (readonly Value[])[]): ReadonlySet<string> =>
  new Set(rows.map((row) => JSON.stringify(row)));
