/**
 * Stored runs in IndexedDB. The worker writes, the page reads and labels; both open it.
 *
 * A snapshot is written in one transaction: the new rows, the checkpoint beside the previous one,
 * and the entry that counts them. If the process is killed, the previous snapshot remains.
 */

import type { DBSchema, IDBPDatabase, IDBPTransaction, StoreNames } from 'idb';
import { openDB } from 'idb';
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
 * Why storage cannot be used. `off`: nothing is ever kept here; `full`: no room is left, and deleting
 * runs helps; `newer`: a newer page has been here, and reloading helps; `blocked`: an older page is open
 * in another tab, and closing that helps; `elsewhere`: another tab has kept more of the same run.
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
  /** The rows of one snapshot. */
  rows: {
    key: [runId: string, first: number];
    value: { runId: string; first: number; rows: readonly Row[] };
  };
  /** The two newest of each run. */
  checkpoints: {
    key: [runId: string, iteration: number];
    value: { runId: string; iteration: number; bytes: Uint8Array<ArrayBuffer> };
  };
  /** Episodes kept with the newest checkpoint. Since version 2. */
  episodes: {
    key: string;
    value: { runId: string; episodes: KeptEpisodesState; shown: ShownEpisodes };
  };
  /** What is so of the whole database. Since version 3. */
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

/** Brings a database of any older version to the present one, step by step. */
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

/** Runs of version 1 had a name but no pin, tags or notes. */
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
 * An entry that any version of this project kept, with settings and a preset that this one has. A run
 * from before a setting existed was trained as that setting's default does. What is kept stays as it is.
 */
function usable(entry: RunEntry): RunEntry {
  const { config, notes } = settleConfig(entry.config, WHERE);
  const { preset, notes: renamed } = settlePreset(entry.preset, WHERE);
  const replaced = [...renamed, ...notes];
  return { ...entry, config, preset, ...(replaced.length === 0 ? {} : { replaced }) };
}

const WHERE = 'in this kept run';

/** Keys of everything of one run in a store keyed by run and number. */
const ofRun = (id: string, from = 0) => IDBKeyRange.bound([id, from], [id, Infinity]);

/**
 * Opens a database of this version. Nobody waits for another tab: where one is in the way, that is told
 * at once, and may be tried again.
 *
 * @param onLost the connection is gone: the browser closed it, or a newer page wants to migrate
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
            'An older version of this page is open in another tab and blocks the stored runs. Close or reload that tab. Training continues, and the run is saved as soon as possible.',
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
      // Too late for who asked; in nobody's way.
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
    'This browser keeps nothing for this page (a private window, or storage switched off), so runs end with the page; download what you want to keep.',
    'off',
    error,
  );
}

/** The formerly shared database, unchanged; null if it does not exist. */
async function openShared(): Promise<IDBPDatabase<Schema> | null> {
  try {
    return await openDB<Schema>(SHARED_DATABASE, undefined, {
      // Without a database this would make an empty one.
      upgrade: (_opened, _oldVersion, _newVersion, transaction) => {
        // Its end is an error, which the opening tells as well.
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
  /** Opened again if the connection was lost. */
  #connection: Promise<IDBPDatabase<Schema>> | null = null;

  private constructor(name: string) {
    this.#name = name;
  }

  /**
   * @param name of the database, `placeName` of the page's address
   * @throws {StorageError} where the browser keeps nothing, as in some private windows, and where a
   *   newer or an older page is in the way.
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
   * Copies the runs that all pages of this origin once shared: each page copies those that existed
   * when it first created its own database. The shared data stays for the others.
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
        // Version 1 had none.
        const episodes = shared?.objectStoreNames.contains('episodes')
          ? await shared.get('episodes', id)
          : undefined;
        await this.#write(async (transaction) => {
          // The page and its worker may both be at it.
          if ((await transaction.objectStore('runs').get(id)) !== undefined) return;
          for (const batch of rows) await transaction.objectStore('rows').put(batch);
          for (const kept of checkpoints) await transaction.objectStore('checkpoints').put(kept);
          if (episodes !== undefined) await transaction.objectStore('episodes').put(episodes);
          await transaction.objectStore('runs').put({ ...noLabels, ...entry });
        });
      }
      await database.put('facts', true, 'adopted');
    } catch {
      // What is missing is copied the next time; new runs can be kept all the same.
    } finally {
      shared?.close();
    }
  }

  /** All runs, newest first. */
  async list(): Promise<readonly RunEntry[]> {
    const entries = await (await this.#database()).getAll('runs');
    return entries.map(usable).sort((a, b) => b.updated - a.updated);
  }

  /** A run with its whole curve, or null where it is not kept. */
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

  /** The kept checkpoints of a run, newest first. */
  async checkpoints(id: string): Promise<readonly KeptCheckpoint[]> {
    const transaction = (await this.#database()).transaction(['checkpoints', 'episodes']);
    const [kept, episodes] = await Promise.all([
      transaction.objectStore('checkpoints').getAll(ofRun(id)),
      transaction.objectStore('episodes').get(id),
    ]);
    return kept.reverse().map(({ iteration, bytes }, i) => ({
      iteration,
      bytes,
      // They were kept with the newest.
      episodes: (i === 0 ? episodes?.episodes : undefined) ?? noEpisodes,
    }));
  }

  /**
   * Keeps a snapshot, all of it or nothing. What its owner has said of the run in the meantime stays.
   *
   * @throws {StorageError} where there is no room, the database is gone, or the rows do not follow on those
   *   that are kept, since another tab has trained the same run.
   */
  async save({ entry, rows, iteration, checkpoint, episodes, shown }: RunSnapshot): Promise<void> {
    await this.#write(async (transaction) => {
      const runs = transaction.objectStore('runs');
      const known = await runs.get(entry.id);
      const [first] = rows;
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
  }

  /** Notes where a run stands, without a new checkpoint. */
  async setStatus(id: string, status: RunEntry['status']): Promise<void> {
    await this.#change(id, { status });
  }

  async label(id: string, labels: Partial<RunLabels>): Promise<void> {
    await this.#change(id, labels);
  }

  /** Forgets what comes after an iteration, one of a snapshot. */
  async rewind(id: string, iteration: number): Promise<void> {
    await this.#write(async (transaction) => {
      const entry = await transaction.objectStore('runs').get(id);
      if (entry === undefined || entry.iterations <= iteration) return;
      await transaction.objectStore('rows').delete(ofRun(id, iteration + 1));
      await transaction.objectStore('checkpoints').delete(ofRun(id, iteration + 1));
      await transaction.objectStore('runs').put({ ...entry, iterations: iteration });
    });
  }

  /** Deletes a run with all that belongs to it. */
  async remove(id: string): Promise<void> {
    await this.#write(async (transaction) => {
      await transaction.objectStore('runs').delete(id);
      await transaction.objectStore('rows').delete(ofRun(id));
      await transaction.objectStore('checkpoints').delete(ofRun(id));
      await transaction.objectStore('episodes').delete(id);
    });
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
      // Where the work fails first, it says why; nobody else waits for the end.
      done.catch(() => {});
      try {
        await work(transaction);
      } catch (error) {
        // A finished transaction cannot be aborted again.
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
    `The run could not be kept (${name || 'error'}: ${message}).`,
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
