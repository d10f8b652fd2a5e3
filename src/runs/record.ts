import type { Config } from '../config/schema.ts';
import type { KeptBase } from './checkpoint.ts';
import type { EpisodeRecord } from './episode.ts';
import type { Learned } from './inspection.ts';
import type { KeptConversationsState } from './kept-conversations.ts';
import type { Kept } from './kept-episodes.ts';
import type { Row } from './row.ts';

/** Where a run stands. */
export type RunStatus = 'running' | 'paused' | 'finished' | 'stopped' | 'failed';

/** What its owner says of a run. */
export interface RunLabels {
  readonly name: string;
  readonly pinned: boolean;
  readonly tags: readonly string[];
  readonly notes: string;
}

/** A kept run without its rows. Plain data, as is everything here. */
export interface RunEntry extends RunLabels {
  readonly id: string;
  readonly preset: string;
  /** The complete config that the run was started with. */
  readonly config: Config;
  /** The pretrained model that the run trains an adapter of; absent if it trains a whole network. */
  readonly base?: KeptBase;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly updated: number;
  /** As it was when it was kept last; a run that was killed still says `running`. */
  readonly status: RunStatus;
  /** What computed it last. */
  readonly adapter: string;
  /** Iterations kept. */
  readonly iterations: number;
  /** The newest `eval/success_rate`, or else `rollout/success_rate`. */
  readonly success: number | null;
  /**
   * One sentence for each setting that was replaced because another version of this project wrote
   * it. Determined when the entry is read, and not stored.
   */
  readonly replaced?: readonly string[];
}

/** An episode together with the iteration whose policy wrote it. */
export interface ShownEpisode {
  readonly iteration: number;
  readonly record: EpisodeRecord;
}

/** The newest episodes of each kind, for the stage. */
export interface ShownEpisodes {
  readonly latest: ShownEpisode | null;
  readonly success: ShownEpisode | null;
  readonly failure: ShownEpisode | null;
  readonly evaluation: ShownEpisode | null;
}

/** A training episode as it is kept with its run. */
export interface KeptTrainingEpisode<Episode> extends Kept<Episode> {
  /** Absent where it was not kept: in older episodes, and in runs from before it was. */
  readonly learned?: Learned;
}

/** The episodes of a run that were kept with its checkpoint. */
export interface KeptEpisodesState<Episode = unknown> {
  readonly training: readonly KeptTrainingEpisode<Episode>[];
  readonly evaluation: readonly Kept<Episode>[];
  readonly numbers: number;
  /** Absent in runs without a critic, and from before they were kept. */
  readonly conversations?: KeptConversationsState;
}

/** What goes into storage at once: an iteration's checkpoint with all rows up to it. */
export interface RunSnapshot {
  readonly entry: Omit<RunEntry, 'updated' | 'iterations' | 'success' | 'replaced'>;
  /** Those that were not kept yet, oldest first; the last is the checkpoint's iteration. */
  readonly rows: readonly Row[];
  readonly iteration: number;
  /** A file in the safetensors layout. */
  readonly checkpoint: Uint8Array<ArrayBuffer>;
  readonly episodes: KeptEpisodesState;
  readonly shown: ShownEpisodes;
}

/** A kept checkpoint with what was kept beside it. */
export interface KeptCheckpoint {
  readonly iteration: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly episodes: KeptEpisodesState;
}

/** A kept run as the page shows it. */
export interface KeptRun {
  readonly entry: RunEntry;
  readonly rows: readonly Row[];
  readonly shown: ShownEpisodes;
}
