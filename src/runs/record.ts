import type { Config } from '../config/schema.ts';
import type { KeptBase } from './checkpoint.ts';
import type { EpisodeRecord } from './episode.ts';
import type { Learned } from './inspection.ts';
import type { KeptConversationsState } from './kept-conversations.ts';
import type { Kept } from './kept-episodes.ts';
import type { Row } from './row.ts';

/** The state of a run. */
export type RunStatus = 'running' | 'paused' | 'finished' | 'stopped' | 'failed';

/** A run's labels, edited by the user. */
export interface RunLabels {
  readonly name: string;
  readonly pinned: boolean;
  readonly tags: readonly string[];
  readonly notes: string;
}

/** A stored run without its rows. Everything in it is plain data. */
export interface RunEntry extends RunLabels {
  readonly id: string;
  readonly preset: string;
  /** The complete config, with all changes made during the run. */
  readonly config: Config;
  /** The pretrained model whose adapter the run trains; absent if it trains a whole network. */
  readonly base?: KeptBase;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly updated: number;
  /** The status when the run was last saved; a run that was killed still has `running`. */
  readonly status: RunStatus;
  /** Name of the device that trained it last. */
  readonly adapter: string;
  /** Number of stored iterations. */
  readonly iterations: number;
  /** The newest `eval/success_rate`; without one, the newest `rollout/success_rate`. */
  readonly success: number | null;
  /**
   * One sentence for each setting of another version that this version replaces. Computed when the
   * entry is read, not stored.
   */
  readonly replaced?: readonly string[];
}

/** An episode with the iteration of the policy that generated it. */
export interface ShownEpisode {
  readonly iteration: number;
  readonly record: EpisodeRecord;
}

/** The newest episode of each kind, for the view that replays episodes. */
export interface ShownEpisodes {
  readonly latest: ShownEpisode | null;
  readonly success: ShownEpisode | null;
  readonly failure: ShownEpisode | null;
  readonly evaluation: ShownEpisode | null;
}

/** A training episode as stored with its run. */
export interface KeptTrainingEpisode<Episode> extends Kept<Episode> {
  /** Absent in older episodes and in older runs, which do not store it. */
  readonly learned?: Learned;
}

/** The episodes stored with a run's checkpoint. */
export interface KeptEpisodesState<Episode = unknown> {
  readonly training: readonly KeptTrainingEpisode<Episode>[];
  readonly evaluation: readonly Kept<Episode>[];
  readonly numbers: number;
  /** Absent in runs without a critic and in older runs. */
  readonly conversations?: KeptConversationsState;
}

/** Saved in one transaction: an iteration's checkpoint with all new rows up to it. */
export interface RunSnapshot {
  readonly entry: Omit<RunEntry, 'updated' | 'iterations' | 'success' | 'replaced'>;
  /** Rows that are not stored yet, oldest first; the last one is the checkpoint's iteration. */
  readonly rows: readonly Row[];
  readonly iteration: number;
  /** A file in the safetensors layout. */
  readonly checkpoint: Uint8Array<ArrayBuffer>;
  readonly episodes: KeptEpisodesState;
  readonly shown: ShownEpisodes;
}

/** A stored checkpoint with the episodes stored with it. */
export interface KeptCheckpoint {
  readonly iteration: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly episodes: KeptEpisodesState;
}

/** A stored run as shown in the page. */
export interface KeptRun {
  readonly entry: RunEntry;
  readonly rows: readonly Row[];
  readonly shown: ShownEpisodes;
}
