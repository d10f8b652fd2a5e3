import type { Config } from '../config/schema.ts';
import type { EpisodeRecord } from '../runs/episode.ts';
import type {
  KeptCheckpoint,
  KeptEpisodesState,
  RunEntry,
  RunSnapshot,
  RunStatus,
  ShownEpisode,
  ShownEpisodes,
} from '../runs/record.ts';
import type { Row } from '../runs/row.ts';
import { storageProblems } from '../runs/run-store.ts';
import type { StorageState } from './protocol.ts';

/** Storage of runs, such as `RunStore`. Its errors carry the problem in `state`. */
export interface RunStorage {
  save(snapshot: RunSnapshot): Promise<void>;
  /** @param config replaces the stored one, if given */
  setStatus(id: string, status: RunStatus, config?: Config): Promise<void>;
  checkpoints(id: string): Promise<readonly KeptCheckpoint[]>;
  rewind(id: string, iteration: number): Promise<void>;
}

/** The parts of a run that are saved between iterations. */
interface Keepable {
  checkpoint(): Promise<Uint8Array<ArrayBuffer>>;
  readonly episodes: { readonly state: KeptEpisodesState };
}

export type KeptIdentity = Pick<RunEntry, 'id' | 'name' | 'preset' | 'config' | 'base' | 'created'>;

/** Minimum time between saves. */
const SAVE_INTERVAL_MS = 10_000;
/** Saving takes at most 1/50 of the time. */
const COST_FACTOR = 50;

const nothingShown: ShownEpisodes = {
  latest: null,
  success: null,
  failure: null,
  evaluation: null,
};

/**
 * Saves one run while it trains: rows are buffered and written every few seconds together with a
 * checkpoint. If storage fails, the page is informed, the write is retried, and training continues.
 */
export class RunKeeper {
  readonly #storage: RunStorage | null;
  #identity: KeptIdentity;
  readonly #report: (state: StorageState) => void;
  readonly #now: () => number;
  #adapter = '';
  /** Rows since the last snapshot that was written. */
  #unsaved: Row[] = [];
  /** The config if it has changed since it was last stored, else null. */
  #unsavedConfig: Config | null = null;
  #shown: ShownEpisodes = nothingShown;
  /** The newest checkpoint, in memory, so that a run survives a lost GPU even without storage. */
  #latest: KeptCheckpoint | null = null;
  /** The newest iteration in storage; 0 if there is none. */
  #stored = 0;
  /** When the next snapshot is due. */
  #due = 0;
  #writing: Promise<void> | null = null;

  constructor(
    storage: RunStorage | null,
    identity: KeptIdentity,
    report: (state: StorageState) => void,
    now = () => performance.now(),
  ) {
    this.#storage = storage;
    this.#identity = identity;
    this.#report = report;
    this.#now = now;
  }

  /** The newest checkpoint of this session. */
  get latest(): KeptCheckpoint | null {
    return this.#latest;
  }

  /** The newest iteration in storage; 0 if there is none. */
  get stored(): number {
    return this.#stored;
  }

  /** Whether there are rows that no checkpoint covers, not even one that is being written. */
  get hasNewRows(): boolean {
    return (this.#unsaved.at(-1)?.iteration ?? 0) > (this.#latest?.iteration ?? 0);
  }

  set adapter(name: string) {
    this.#adapter = name;
  }

  /** Sets the config that the next save stores. */
  set config(config: Config) {
    this.#identity = { ...this.#identity, config };
    this.#unsavedConfig = config;
  }

  /** Stored checkpoints of this run, newest first. */
  async load(): Promise<readonly KeptCheckpoint[]> {
    const checkpoints = (await this.#storage?.checkpoints(this.#identity.id)) ?? [];
    this.#stored = checkpoints[0]?.iteration ?? 0;
    return checkpoints;
  }

  /** To be called when the run continues from this checkpoint; drops all later rows. */
  async restored(checkpoint: KeptCheckpoint | null): Promise<void> {
    const iteration = checkpoint?.iteration ?? 0;
    this.#latest = checkpoint;
    this.#unsaved = this.#unsaved.filter((row) => row.iteration <= iteration);
    await this.#writing;
    this.#stored = Math.min(this.#stored, iteration);
    await this.#storage?.rewind(this.#identity.id, iteration).catch(() => {});
  }

  add(row: Row, episodes: readonly EpisodeRecord[], evaluated: readonly EpisodeRecord[]): void {
    const { iteration } = row;
    this.#unsaved.push(row);
    const shown = (record: EpisodeRecord | undefined): ShownEpisode | null =>
      record === undefined ? null : { iteration, record };
    this.#shown = {
      latest: shown(episodes[0]) ?? this.#shown.latest,
      success: shown(episodes.find(({ success }) => success)) ?? this.#shown.success,
      failure: shown(episodes.find(({ success }) => !success)) ?? this.#shown.failure,
      evaluation: shown(evaluated[0]) ?? this.#shown.evaluation,
    };
  }

  /** Whether buffered rows should be saved. The first iteration is saved immediately. */
  get due(): boolean {
    return this.#unsaved.length > 0 && this.#writing === null && this.#now() >= this.#due;
  }

  /** Saves the run. Resolves when training may continue; the write itself runs in parallel. */
  async save(run: Keepable, status: RunStatus): Promise<void> {
    const iteration = this.#unsaved.at(-1)?.iteration ?? this.#latest?.iteration;
    if (iteration === undefined) return;
    await this.#writing;
    const began = this.#now();
    if (this.#unsaved.length === 0) {
      await this.setStatus(status);
      return;
    }
    const bytes = await run.checkpoint();
    const episodes = run.episodes.state;
    this.#latest = { iteration, bytes, episodes };
    const rows = [...this.#unsaved];
    if (this.#storage === null) {
      this.#unsaved = [];
    } else {
      const snapshot: RunSnapshot = {
        entry: {
          ...this.#identity,
          status,
          adapter: this.#adapter,
          pinned: false,
          tags: [],
          notes: '',
        },
        rows,
        iteration,
        checkpoint: bytes,
        episodes,
        shown: this.#shown,
      };
      this.#writing = this.#write(this.#storage, snapshot);
    }
    const cost = this.#now() - began;
    this.#due = this.#now() + Math.max(SAVE_INTERVAL_MS, COST_FACTOR * cost);
  }

  /** Stores the status without a checkpoint, and the config if it has changed. */
  async setStatus(status: RunStatus): Promise<void> {
    await this.#writing;
    // A config that is newer than unsaved rows is stored with them.
    const config = this.#unsaved.length === 0 ? this.#unsavedConfig : null;
    try {
      await this.#storage?.setStatus(this.#identity.id, status, config ?? undefined);
      if (config !== null) this.#configSaved(config);
    } catch {
      // The next save retries it.
    }
  }

  /** Resolves when the current write has finished. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** A config that was set during the write is still unsaved. */
  #configSaved(config: Config): void {
    if (this.#unsavedConfig === config) this.#unsavedConfig = null;
  }

  async #write(storage: RunStorage, snapshot: RunSnapshot): Promise<void> {
    try {
      await storage.save(snapshot);
      this.#stored = snapshot.iteration;
      this.#unsaved = this.#unsaved.filter(({ iteration }) => iteration > snapshot.iteration);
      this.#configSaved(snapshot.entry.config);
      this.#report({ state: 'kept', iteration: snapshot.iteration });
    } catch (error) {
      const problem = error instanceof Error && 'state' in error ? error.state : null;
      const state = storageProblems.find((known) => known === problem) ?? 'failed';
      const message = error instanceof Error ? error.message : String(error);
      this.#report({ state, message });
    } finally {
      this.#writing = null;
    }
  }
}
