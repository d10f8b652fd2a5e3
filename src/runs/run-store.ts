/**
 * Stored runs in IndexedDB. Both the worker and the page open the database: the worker writes runs,
 * the page reads them and edits labels.
 *
 * A snapshot is written in one transaction: the new rows, the new checkpoint beside the previous
 * one, and the entry with the new iteration count. If the process is killed, the previous snapshot remains.
 */

import type { DBSchema, IDBPDatabase, IDBPTransaction, StoreNames } from 'idb';
import { openDB } from 'idb';
import type { Config } from '../config/schema.ts';
import { settleConfig, settlePreset } from '../config/settle.ts';
import type {
  KeptCheckpoint,
  KeptEpisodesState,
  KeptRun,
  RunEntry,
  RunLabels,
  RunSnapshot,
  ShownEpisodes,
} from './record.ts';
import type { Row } from './row.ts';

/**
 * Why storage cannot be used. `off`: the browser stores nothing for this page; `full`: the quota is
 * reached, and deleting runs helps; `newer`: a newer version of the page migrated the database, and
 * reloading helps; `blocked`: an older version is open in another tab, and closing it helps;
 * `elsewhere`: another tab has saved later iterations of the same run.
 */
export const storageProblems = ['off', 'full', 'failed', 'newer', 'blocked', 'elsewhere'] as const;
export type StorageProblem = (typeof storageProblems)[number];

/** Thrown when storage cannot be used; the message says what to do. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly state: StorageProblem;
  constructor(message: string, state: StorageProblem, cause?: unknown) {
    super(message, { cause });
    this.state = state;
  }
}

interface Schema extends DBSchema {
  runs: { key: string; value: RunEntry };
  /** One record per snapshot, with its rows. */
  rows: {
    key: [runId: string, first: number];
    value: { runId: string; first: number; rows: readonly Row[] };
  };
  /** The two newest checkpoints of each run. */
  checkpoints: {
    key: [runId: string, iteration: number];
    value: { runId: string; iteration: number; bytes: Uint8Array<ArrayBuffer> };
  };
  /** Episodes stored with the newest checkpoint. Since version 2. */
  episodes: {
    key: string;
    value: { runId: string; episodes: KeptEpisodesState; shown: ShownEpisodes };
  };
  /** Flags of the whole database. Since version 3. */
  facts: { key: 'adopted'; value: boolean };
}

/** The database that all pages of an origin shared before each had a separate one. */
export const SHARED_DATABASE = 'palestra';
export const DATABASE_VERSION = 3;
const KEPT_CHECKPOINTS = 2;
const everything = ['runs', 'rows', 'checkpoints', 'episodes'] as const;

const noEpisodes: KeptEpisodesState = { training: [], evaluation: [], numbers: 0 };
const noLabels: Omit<RunLabels, 'name'> = { pinned: false, tags: [], notes: '' };
const noneShown: ShownEpisodes = { latest: null, success: null, failure: null, evaluation: null };

/** Migrates a database of any older version to the current one, version by version. */
function migrate(
  database: IDBPDatabase<Schema>,
  oldVersion: number,
  transaction: IDBPTransaction<Schema, StoreNames<Schema>[], 'versionchange'>,
): void {
  if (oldVersion < 1) {
    database.createObjectStore('runs', { keyPath: 'id' });
    database.createObjectStore('rows', { keyPath: ['runId', 'first'] });
    database.createObjectStore('checkpoints', { keyPath: ['runId', 'iteration'] });
  }
  if (oldVersion < 2) {
    database.createObjectStore('episodes', { keyPath: 'runId' });
    if (oldVersion === 1) void addLabels(transaction);
  }
  if (oldVersion < 3) database.createObjectStore('facts');
}

/** Entries of version 1 have a name but no pin, tags or notes. */
async function addLabels(
  transaction: IDBPTransaction<Schema, StoreNames<Schema>[], 'versionchange'>,
): Promise<void> {
  let cursor = await transaction.objectStore('runs').openCursor();
  while (cursor !== null) {
    await cursor.update({ ...noLabels, ...cursor.value });
    cursor = await cursor.continue();
  }
}

/**
 * Converts an entry written by any version of this project to the settings and presets of this one.
 * A setting that is missing gets its default, which is how older versions behaved. The stored entry
 * is not changed.
 */
function usable(entry: RunEntry): RunEntry {
  const { config, notes } = settleConfig(entry.config, WHERE);
  const { preset, notes: renamed } = settlePreset(entry.preset, WHERE);
  const replaced = [...renamed, ...notes];
  return { ...entry, config, preset, ...(replaced.length === 0 ? {} : { replaced }) };
}

const WHERE = 'in this stored run';

/** Key range of a run's records, in a store keyed by run id and number. */
const ofRun = (id: string, from = 0) => IDBKeyRange.bound([id, from], [id, Infinity]);

/**
 * Opens a database of this version. If another tab blocks the upgrade, it rejects at once instead
 * of waiting; the caller can retry.
 *
 * @param onLost called when the connection is lost: the browser closed it, or a newer page wants to
 *   migrate
 */
function connect(name: string, onLost: () => void): Promise<IDBPDatabase<Schema>> {
  return new Promise((resolve, reject) => {
    let blocked = false;
    openDB<Schema>(name, DATABASE_VERSION, {
      upgrade: (opened, oldVersion, _, transaction) => migrate(opened, oldVersion, transaction),
      blocked: () => {
        blocked = true;
        reject(
          new StorageError(
            'An older version of this page is open in another tab and blocks access to the stored runs. Close or reload that tab. Training continues, and the run is saved as soon as possible.',
            'blocked',
          ),
        );
      },
      blocking: (_current, _blocked, event) => {
        onLost();
        if (event.target instanceof IDBDatabase) event.target.close();
      },
      terminated: onLost,
    }).then((database) => {
      // The promise was already rejected; an open connection would only block other tabs.
      if (blocked) database.close();
      else resolve(database);
    }, reject);
  });
}

function asOpeningError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  if (error instanceof Error && error.name === 'VersionError') {
    return new StorageError(
      'A newer version of this page was open in this browser and stores runs in a format that this one cannot read. Training continues, but this run is not saved: download its checkpoint if you need it, then reload the page to update.',
      'newer',
      error,
    );
  }
  return new StorageError(
    'This browser stores nothing for this page (a private window, or storage is turned off), so runs are lost when the page closes; download what you want to keep.',
    'off',
    error,
  );
}

/** Opens the formerly shared database without changing it; null if it does not exist. */
async function openShared(): Promise<IDBPDatabase<Schema> | null> {
  try {
    return await openDB<Schema>(SHARED_DATABASE, undefined, {
      // Called only if the database does not exist: abort, so that no empty one is created.
      upgrade: (_opened, _oldVersion, _newVersion, transaction) => {
        // The abort also rejects `done`; the error is handled when opening fails.
        transaction.done.catch(() => {});
        transaction.abort();
      },
      blocking: (_current, _blocked, event) => {
        if (event.target instanceof IDBDatabase) event.target.close();
      },
    });
  } catch {
    return null;
  }
}

export class RunStore {
  readonly #name: string;
  /** Null after the connection was lost; the next access reopens it. */
  #connection: Promise<IDBPDatabase<Schema>> | null = null;
  /** Runs that this session has saved or continued; if one is missing, it was deleted. */
  readonly #known = new Set<string>();

  private constructor(name: string) {
    this.#name = name;
  }

  /**
   * @param name of the database: `placeName` of the page's address
   * @throws {StorageError} if the browser stores nothing, as in some private windows, or if a newer
   *   or older version of the page prevents access
   */
  static async open(name: string): Promise<RunStore> {
    const store = new RunStore(name);
    await store.#adopt();
    return store;
  }

  /** @throws {StorageError} */
  async #database(): Promise<IDBPDatabase<Schema>> {
    const onLost = () => {
      this.#connection = null;
    };
    this.#connection ??= connect(this.#name, onLost);
    try {
      return await this.#connection;
    } catch (error) {
      this.#connection = null;
      throw asOpeningError(error);
    }
  }

  /**
   * Copies runs from the database that all pages of this origin once shared. Each page copies the
   * runs that exist when it first creates its own database. The shared data stays for other pages.
   */
  async #adopt(): Promise<void> {
    const database = await this.#database();
    if ((await database.get('facts', 'adopted')) === true) return;
    const shared = await openShared();
    try {
      for (const entry of (await shared?.getAll('runs')) ?? []) {
        const { id } = entry;
        const rows = (await shared?.getAll('rows', ofRun(id))) ?? [];
        const checkpoints = (await shared?.getAll('checkpoints', ofRun(id))) ?? [];
        // Version 1 has no such store.
        const episodes = shared?.objectStoreNames.contains('episodes')
          ? await shared.get('episodes', id)
          : undefined;
        await this.#write(async (transaction) => {
          // The page and its worker may both be copying.
          if ((await transaction.objectStore('runs').get(id)) !== undefined) return;
          for (const batch of rows) await transaction.objectStore('rows').put(batch);
          for (const kept of checkpoints) await transaction.objectStore('checkpoints').put(kept);
          if (episodes !== undefined) await transaction.objectStore('episodes').put(episodes);
          await transaction.objectStore('runs').put({ ...noLabels, ...entry });
        });
      }
      await database.put('facts', true, 'adopted');
    } catch {
      // Missing runs are copied at the next start; saving new runs works without them.
    } finally {
      shared?.close();
    }
  }

  /** All runs, newest first. */
  async list(): Promise<readonly RunEntry[]> {
    const entries = await (await this.#database()).getAll('runs');
    return entries.map(usable).sort((a, b) => b.updated - a.updated);
  }

  /** A run with all its rows; null if it is not stored. */
  async read(id: string): Promise<KeptRun | null> {
    const transaction = (await this.#database()).transaction(['runs', 'rows', 'episodes']);
    const [entry, batches, episodes] = await Promise.all([
      transaction.objectStore('runs').get(id),
      transaction.objectStore('rows').getAll(ofRun(id)),
      transaction.objectStore('episodes').get(id),
    ]);
    if (entry === undefined) return null;
    return {
      entry: usable(entry),
      rows: batches.flatMap(({ rows }) => rows),
      shown: episodes?.shown ?? noneShown,
    };
  }

  /** The stored checkpoints of a run, newest first. */
  async checkpoints(id: string): Promise<readonly KeptCheckpoint[]> {
    const transaction = (await this.#database()).transaction(['checkpoints', 'episodes']);
    const [kept, episodes] = await Promise.all([
      transaction.objectStore('checkpoints').getAll(ofRun(id)),
      transaction.objectStore('episodes').get(id),
    ]);
    if (kept.length > 0) this.#known.add(id);
    return kept.reverse().map(({ iteration, bytes }, i) => ({
      iteration,
      bytes,
      // Episodes are stored with the newest checkpoint only.
      episodes: (i === 0 ? episodes?.episodes : undefined) ?? noEpisodes,
    }));
  }

  /**
   * Saves a snapshot atomically. Labels that the user edited in the meantime are kept.
   *
   * @throws {StorageError} if the quota is reached, the database is gone, the run was deleted in the
   *   meantime, or the rows do not continue the stored ones because another tab has trained the same
   *   run
   */
  async save({ entry, rows, iteration, checkpoint, episodes, shown }: RunSnapshot): Promise<void> {
    await this.#write(async (transaction) => {
      const runs = transaction.objectStore('runs');
      const known = await runs.get(entry.id);
      const [first] = rows;
      // Its earlier rows are gone, so saving would restore only a part of the run.
      if (known === undefined && this.#known.has(entry.id)) throw wasDeleted();
      if (known !== undefined && first !== undefined && first.iteration !== known.iterations + 1) {
        throw keptElsewhere(known.iterations);
      }
      const labels = known === undefined ? entry : labelsOf(known);
      const success = rows.map(successOf).findLast((rate) => rate !== null);
      const { id: runId } = entry;
      if (first !== undefined) {
        await transaction.objectStore('rows').put({ runId, first: first.iteration, rows });
      }
      const checkpoints = transaction.objectStore('checkpoints');
      await checkpoints.put({ runId, iteration, bytes: checkpoint });
      for (const key of (await checkpoints.getAllKeys(ofRun(runId))).slice(0, -KEPT_CHECKPOINTS)) {
        await checkpoints.delete(key);
      }
      await transaction.objectStore('episodes').put({ runId, episodes, shown });
      await runs.put({
        ...entry,
        ...labels,
        created: known?.created ?? entry.created,
        updated: Date.now(),
        iterations: iteration,
        success: success ?? known?.success ?? null,
      });
    });
    this.#known.add(entry.id);
  }

  /**
   * Updates the status without a new checkpoint.
   *
   * @param config replaces the stored one, if given
   */
  async setStatus(id: string, status: RunEntry['status'], config?: Config): Promise<void> {
    await this.#change(id, { status, ...(config && { config }) });
  }

  async label(id: string, labels: Partial<RunLabels>): Promise<void> {
    await this.#change(id, labels);
  }

  /** Deletes everything after an iteration, which must be the end of a snapshot. */
  async rewind(id: string, iteration: number): Promise<void> {
    await this.#write(async (transaction) => {
      const entry = await transaction.objectStore('runs').get(id);
      if (entry === undefined || entry.iterations <= iteration) return;
      await transaction.objectStore('rows').delete(ofRun(id, iteration + 1));
      await transaction.objectStore('checkpoints').delete(ofRun(id, iteration + 1));
      await transaction.objectStore('runs').put({ ...entry, iterations: iteration });
    });
  }

  /** Deletes a run with all its data. */
  async remove(id: string): Promise<void> {
    await this.#write(async (transaction) => {
      await transaction.objectStore('runs').delete(id);
      await transaction.objectStore('rows').delete(ofRun(id));
      await transaction.objectStore('checkpoints').delete(ofRun(id));
      await transaction.objectStore('episodes').delete(id);
    });
    this.#known.delete(id);
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    (await connection)?.close();
  }

  async #change(id: string, change: Partial<RunEntry>): Promise<void> {
    await this.#write(async (transaction) => {
      const entry = await transaction.objectStore('runs').get(id);
      if (entry !== undefined) await transaction.objectStore('runs').put({ ...entry, ...change });
    });
  }

  async #write(
    work: (
      transaction: IDBPTransaction<Schema, (typeof everything)[number][], 'readwrite'>,
    ) => Promise<void>,
  ): Promise<void> {
    try {
      const transaction = (await this.#database()).transaction([...everything], 'readwrite');
      const done = transaction.done;
      // If the work fails first, its error is thrown and nobody awaits `done`.
      done.catch(() => {});
      try {
        await work(transaction);
      } catch (error) {
        // A transaction that has already failed cannot be aborted again.
        if (transaction.error === null) transaction.abort();
        throw error;
      }
      await done;
    } catch (error) {
      throw asStorageError(error);
    }
  }
}

const keptElsewhere = (iterations: number) =>
  new StorageError(
    `Another tab has trained the same run and saved it up to iteration ${iterations}; that version is kept. Training continues here but is not saved: download its checkpoint if you need it, and continue the run in one tab only.`,
    'elsewhere',
  );

const wasDeleted = () =>
  new StorageError(
    'This run was deleted, for example in another tab, so it is no longer saved. Training continues here: download its checkpoint if you want to keep it.',
    'failed',
  );

function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const name = error instanceof Error ? error.name : '';
  if (name === 'QuotaExceededError') {
    return new StorageError(
      'The browser’s storage for this page is full. Training continues; delete old runs, and this one will be saved again.',
      'full',
      error,
    );
  }
  const message = error instanceof Error ? error.message : String(error);
  return new StorageError(
    `The run could not be saved (${name || 'error'}: ${message}).`,
    'failed',
    error,
  );
}

function labelsOf({ name, pinned, tags, notes }: RunEntry): RunLabels {
  return { name, pinned, tags, notes };
}

function successOf({ metrics, evaluation }: Row): number | null {
  return (
    evaluation?.metrics['eval/success_rate'] ??
    metrics['eval/success_rate'] ??
    metrics['rollout/success_rate'] ??
    null
  );
}
