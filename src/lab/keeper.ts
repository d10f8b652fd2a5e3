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

/** Where runs are kept; `RunStore` is one. Its errors tell by `state` what is wrong. */
export interface RunStorage {
  save(snapshot: RunSnapshot): Promise<void>;
  setStatus(id: string, status: RunStatus): Promise<void>;
  checkpoints(id: string): Promise<readonly KeptCheckpoint[]>;
  rewind(id: string, iteration: number): Promise<void>;
}

/** What a run hands out to be kept, between iterations. */
export interface Keepable {
  checkpoint(): Promise<Uint8Array<ArrayBuffer>>;
  readonly episodes: { readonly state: KeptEpisodesState };
}

/** The run that is kept. */
export type KeptIdentity = Pick<RunEntry, 'id' | 'name' | 'preset' | 'config' | 'created'>;

/** A kill loses at most so much training, in milliseconds. */
const SAVE_INTERVAL_MS = 10_000;
/** Keeping may take no more than one part in so many of the time. */
const SHARE = 50;

const nothingShown: ShownEpisodes = {
  latest: null,
  success: null,
  failure: null,
  evaluation: null,
};

/**
 * Keeps one run while it trains: rows gather in memory, and every few seconds they go into storage
 * together with a checkpoint. Storage that fails is told to the page and tried again; training goes on.
 */
export class RunKeeper {
  readonly #storage: RunStorage | null;
  #identity: KeptIdentity;
  readonly #tell: (state: StorageState) => void;
  readonly #now: () => number;
  #adapter = '';
  /** Finished since the newest snapshot that was written. */
  #unsaved: Row[] = [];
  #shown: ShownEpisodes = nothingShown;
  /** The newest checkpoint, in memory: a lost GPU is no lost run, even without storage. */
  #latest: KeptCheckpoint | null = null;
  /** Rows up to the newest checkpoint, wherever it is. */
  #due = 0;
  #writing: Promise<void> | null = null;

  constructor(
    storage: RunStorage | null,
    identity: KeptIdentity,
    tell: (state: StorageState) => void,
    now = () => performance.now(),
  ) {
    this.#storage = storage;
    this.#identity = identity;
    this.#tell = tell;
    this.#now = now;
  }

  /** The newest checkpoint of this session, to recover from. */
  get latest(): KeptCheckpoint | null {
    return this.#latest;
  }

  set adapter(name: string) {
    this.#adapter = name;
  }

  /** The run's config has changed; the next snapshot has it. */
  set config(config: Config) {
    this.#identity = { ...this.#identity, config };
  }

  /** The kept checkpoints of this run, newest first. */
  async load(): Promise<readonly KeptCheckpoint[]> {
    return (await this.#storage?.checkpoints(this.#identity.id)) ?? [];
  }

  /** The run goes on from this checkpoint: what came after it never happened. */
  async restored(checkpoint: KeptCheckpoint | null): Promise<void> {
    const iteration = checkpoint?.iteration ?? 0;
    this.#latest = checkpoint;
    this.#unsaved = this.#unsaved.filter((row) => row.iteration <= iteration);
    await this.#writing;
    await this.#storage?.rewind(this.#identity.id, iteration).catch(() => {});
  }

  add(row: Row, episodes: readonly EpisodeRecord[], tested: readonly EpisodeRecord[]): void {
    const { iteration } = row;
    this.#unsaved.push(row);
    const shown = (record: EpisodeRecord | undefined): ShownEpisode | null =>
      record === undefined ? null : { iteration, record };
    this.#shown = {
      latest: shown(episodes[0]) ?? this.#shown.latest,
      success: shown(episodes.find(({ success }) => success)) ?? this.#shown.success,
      failure: shown(episodes.find(({ success }) => !success)) ?? this.#shown.failure,
      evaluation: shown(tested[0]) ?? this.#shown.evaluation,
    };
  }

  /** Whether it is time to keep what has gathered. The first iteration is kept at once. */
  get due(): boolean {
    return this.#unsaved.length > 0 && this.#writing === null && this.#now() >= this.#due;
  }

  /**
   * Keeps the run as it is. Resolves when training may go on; the writing itself goes on beside it.
   */
  async save(run: Keepable, status: RunStatus): Promise<void> {
    const iteration = this.#unsaved.at(-1)?.iteration ?? this.#latest?.iteration;
    if (iteration === undefined) return;
    await this.#writing;
    const began = this.#now();
    if (this.#unsaved.length === 0) {
      await this.note(status);
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
    this.#due = this.#now() + Math.max(SAVE_INTERVAL_MS, SHARE * cost);
  }

  /** Notes how the run ended, where it is kept at all. */
  async note(status: RunStatus): Promise<void> {
    await this.#writing;
    await this.#storage?.setStatus(this.#identity.id, status).catch(() => {});
  }

  /** Resolves when what is being written is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(storage: RunStorage, snapshot: RunSnapshot): Promise<void> {
    try {
      await storage.save(snapshot);
      this.#unsaved = this.#unsaved.filter(({ iteration }) => iteration > snapshot.iteration);
      this.#tell({ state: 'kept', iteration: snapshot.iteration });
    } catch (error) {
      const told = error instanceof Error && 'state' in error ? error.state : null;
      const state = storageProblems.find((problem) => problem === told) ?? 'failed';
      const message = error instanceof Error ? error.message : String(error);
      this.#tell({ state, message });
    } finally {
      this.#writing = null;
    }
  }
}
