/** What is used of sql.js, which brings no types. */
declare module 'sql.js' {
  export type SqlValue = number | string | Uint8Array | null;

  export interface Statement {
    /** Whether there is a row; throws an Error where SQLite cannot go on. */
    step(): boolean;
    get(): SqlValue[];
    getColumnNames(): string[];
    free(): boolean;
  }

  export interface Database {
    /** Runs statements, without their rows. */
    run(sql: string): Database;
    /** Throws an Error with SQLite's message. */
    prepare(sql: string): Statement;
  }

  export interface SqlJs {
    readonly Database: new () => Database;
  }

  export default function initSqlJs(options?: {
    /** Where a file of the package lies; `folder` is that of the script, where it is known. */
    locateFile?(file: string, folder: string): string;
  }): Promise<SqlJs>;
}
