/**
 * Logs stored by the browser: their metadata, with the series stored separately, so that listing is
 * cheap.
 */

import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { LogSeries } from './log.ts';
import type { LogEntry, ShownLog } from './shown-log.ts';

interface Schema extends DBSchema {
  logs: { key: string; value: LogEntry };
  series: { key: [id: string, place: number]; value: { id: string; place: number } & LogSeries };
}

const VERSION = 1;

export class LogStore {
  readonly #database: IDBPDatabase<Schema>;

  private constructor(database: IDBPDatabase<Schema>) {
    this.#database = database;
  }

  /** @param place storage prefix of the page; rejects if storage is unavailable */
  static async open(place: string): Promise<LogStore> {
    const database = await openDB<Schema>(`${place} logs`, VERSION, {
      upgrade: (opened) => {
        opened.createObjectStore('logs', { keyPath: 'id' });
        opened.createObjectStore('series', { keyPath: ['id', 'place'] });
      },
      blocking: (_current, _blocked, event) => {
        if (event.target instanceof IDBDatabase) event.target.close();
      },
    });
    return new LogStore(database);
  }

  async list(): Promise<readonly LogEntry[]> {
    const entries = await this.#database.getAll('logs');
    return entries.sort((a, b) => b.updated - a.updated);
  }

  /** A log with all its series; null if it is not stored. */
  async read(id: string): Promise<ShownLog | null> {
    const entry = await this.#database.get('logs', id);
    if (entry === undefined) return null;
    const series: LogSeries[] = [];
    // One at a time, so that the page can render in between.
    for (let place = 0; ; place++) {
      const one = await this.#database.get('series', [id, place]);
      if (one === undefined) return { entry, series };
      const { id: _, place: __, ...rest } = one;
      series.push(rest);
    }
  }

  /** Stores a log completely or not at all. */
  async save({ entry, series }: ShownLog): Promise<void> {
    const transaction = this.#database.transaction(['logs', 'series'], 'readwrite');
    const kept = series.map((one, place) =>
      transaction.objectStore('series').put({ ...one, id: entry.id, place }),
    );
    await Promise.all([...kept, transaction.objectStore('logs').put(entry), transaction.done]);
  }

  async remove(id: string): Promise<void> {
    const transaction = this.#database.transaction(['logs', 'series'], 'readwrite');
    await Promise.all([
      transaction.objectStore('logs').delete(id),
      transaction.objectStore('series').delete(IDBKeyRange.bound([id, 0], [id, Infinity])),
      transaction.done,
    ]);
  }

  close(): void {
    this.#database.close();
  }
}
