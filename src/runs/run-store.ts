/**
 * Runs in the browser's own database. The worker writes, the page reads and labels; both open it.
 *
 * A snapshot is written in one transaction: the rows since the one before, the checkpoint beside the
 * one before, and the entry that counts them. A kill in the midst of it leaves the snapshot before.
 */
import type { DBSchema, IDBPDatabase, IDBPTransaction, StoreNames } from 'idb';
import { openDB } from 'idb';
import type {
  KeptCheckpoint,
  KeptEpisodesState,
  KeptRow,
  KeptRun,
  RunEntry,
  RunLabels,
  RunSnapshot,
  ShownEpisodes,
} from './record.ts';
import { settleConfig, settlePreset } from './settle.ts';

/** Thrown when storage cannot be used; the message says what to do. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  /** `off`: nothing is ever kept here; `full`: no room is left, and deleting runs helps. */
  readonly state: 'off' | 'full' | 'failed';
  constructor(message: string, state: StorageError['state'], cause?: unknown) {
    super(message, { cause });
    this.state = state;
  }
}

interface Schema extends DBSchema {
  runs: { key: string; value: RunEntry };
  /** The rows of one snapshot. */
  rows: {
    key: [runId: string, first: number];
    value: { runId: string; first: number; rows: readonly KeptRow[] };
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
}

export const DATABASE = 'palestra';
export const DATABASE_VERSION = 2;
const KEPT_CHECKPOINTS = 2;
const everything = ['runs', 'rows', 'checkpoints', 'episodes'] as const;

const noEpisodes: KeptEpisodesState = { training: [], evaluation: [], numbers: 0 };
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
}

/** Runs of version 1 had a name but no pin, tags or notes. */
async function addLabels(
  transaction: IDBPTransaction<Schema, StoreNames<Schema>[], 'versionchange'>,
): Promise<void> {
  let cursor = await transaction.objectStore('runs').openCursor();
  while (cursor !== null) {
    await cursor.update({ ...cursor.value, pinned: false, tags: [], notes: '' });
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

export class RunStore {
  readonly #database: IDBPDatabase<Schema>;

  private constructor(database: IDBPDatabase<Schema>) {
    this.#database = database;
  }

  /** @throws {StorageError} where the browser keeps nothing, as in some private windows. */
  static async open(): Promise<RunStore> {
    try {
      const database = await openDB<Schema>(DATABASE, DATABASE_VERSION, {
        upgrade: (opened, oldVersion, _, transaction) => migrate(opened, oldVersion, transaction),
        // A newer page wants to migrate; this connection must not stand in its way.
        blocking: (_current, _blocked, event) => {
          if (event.target instanceof IDBDatabase) event.target.close();
        },
      });
      return new RunStore(database);
    } catch (error) {
      throw new StorageError(
        'This browser keeps nothing for this page (a private window, or storage switched off), so runs end with the page; download what you want to keep.',
        'off',
        error,
      );
    }
  }

  /** All runs, newest first. */
  async list(): Promise<readonly RunEntry[]> {
    const entries = await this.#database.getAll('runs');
    return entries.map(usable).sort((a, b) => b.updated - a.updated);
  }

  /** A run with its whole curve, or null where it is not kept. */
  async read(id: string): Promise<KeptRun | null> {
    const transaction = this.#database.transaction(['runs', 'rows', 'episodes']);
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
    const transaction = this.#database.transaction(['checkpoints', 'episodes']);
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
   * @throws {StorageError} where there is no room, or the database is gone.
   */
  async save({ entry, rows, iteration, checkpoint, episodes, shown }: RunSnapshot): Promise<void> {
    await this.#write(async (transaction) => {
      const runs = transaction.objectStore('runs');
      const known = await runs.get(entry.id);
      const labels = known === undefined ? entry : labelsOf(known);
      const success = rows.map(successOf).findLast((rate) => rate !== null);
      const { id: runId } = entry;
      const [first] = rows;
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

  close(): void {
    this.#database.close();
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
      const transaction = this.#database.transaction([...everything], 'readwrite');
      const done = transaction.done;
      // Where the work fails first, it says why; nobody else waits for the end.
      done.catch(() => {});
      try {
        await work(transaction);
      } catch (error) {
        // A transaction that has ended by itself cannot be aborted once more.
        if (transaction.error === null) transaction.abort();
        throw error;
      }
      await done;
    } catch (error) {
      throw asStorageError(error);
    }
  }
}

function asStorageError(error: unknown): StorageError {
  const name = error instanceof Error ? error.name : '';
  if (name === 'QuotaExceededError') {
    return new StorageError(
      'The room that the browser gives this page is used up. Training goes on; delete old runs, and this one is kept again.',
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

function successOf({ metrics, evaluation }: KeptRow): number | null {
  return (
    evaluation?.metrics['eval/success_rate'] ??
    metrics['eval/success_rate'] ??
    metrics['rollout/success_rate'] ??
    null
  );
}
