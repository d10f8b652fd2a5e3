/** Types for the parts of sql.js that are used; the package ships without types. */
declare module 'sql.js' {
  export type SqlValue = number | string | Uint8Array | null;

  export interface Statement {
    /** Whether there is another row; throws an Error if SQLite fails. */
    step(): boolean;
    get(): SqlValue[];
    getColumnNames(): string[];
    free(): boolean;
  }

  export interface Database {
    /** Runs statements and discards their rows. */
    run(sql: string): Database;
    /** Throws an Error with SQLite's message. */
    prepare(sql: string): Statement;
  }

  export interface SqlJs {
    readonly Database: new () => Database;
  }

  export default function initSqlJs(options?: {
    /** URL of a file in the package; `folder` is the script's folder, if known. */
    locateFile?(file: string, folder: string): string;
  }): Promise<SqlJs>;
}
