/** Interfaces of a session: runs, how they are opened and kept, and the connection to the page. */

import type { LiveValues } from '../../config/changes.ts';
import type { Config } from '../../config/schema.ts';
import type { DeviceChoice } from '../../device/index.ts';
import type { KeptBase } from '../../runs/checkpoint.ts';
import type { EpisodeRecord } from '../../runs/episode.ts';
import type { PhaseFacts } from '../../runs/phase-facts.ts';
import type { KeptCheckpoint, KeptEpisodesState } from '../../runs/record.ts';
import type { Row } from '../../runs/row.ts';
import type { KeptIdentity, RunKeeper } from '../keeper.ts';
import type { InitialAgent, Machine, RunId, StorageState, WorkerMessage } from '../protocol.ts';
import type { AgentAnswers, OnProgress, RecordAnswers } from '../questions.ts';

/** Result of one iteration. */
export interface SessionIteration extends Pick<Row, 'iteration' | 'metrics' | 'details'> {
  readonly episodes: readonly EpisodeRecord[];
  readonly evaluation?: NonNullable<Row['evaluation']> & {
    readonly episodes: readonly EpisodeRecord[];
  };
}

/** Creates the keeper of a run that is saved while it trains. */
type KeepRun = (identity: KeptIdentity, report: (state: StorageState) => void) => RunKeeper;

/** The kept episodes of a run; still readable after the GPU is freed. */
export interface SessionEpisodes {
  /** All of them, for storage. */
  readonly state: KeptEpisodesState;
  readonly answers: RecordAnswers;
}

/** Awaited after each phase of an iteration; an error that it throws aborts the iteration. */
export type OnPhase = (facts: PhaseFacts) => Promise<void>;

/** A trainer on a device, as the session sees it. */
export interface SessionRun {
  readonly machine: Machine;
  readonly episodes: SessionEpisodes;
  /** Iterations finished. */
  readonly iteration: number;
  /** Whether a stop condition of the config is met. */
  readonly finished: boolean;
  /** Answers from the agent, given between iterations or updates. They do not affect training. */
  readonly answers: AgentAnswers;
  /** @param onPhase called after each phase; null for none. It does not affect training. */
  iterate(onProgress: OnProgress, onPhase: OnPhase | null): Promise<SessionIteration>;
  /**
   * Changes settings from the next iteration on. Call it only between iterations.
   *
   * @returns the run's config, which lists the changes
   * @throws {ConfigError} for invalid values.
   * @throws {RunTooLargeError} if the changed run does not fit on the device.
   */
  change(values: LiveValues): Promise<Config>;
  /** The checkpoint as a safetensors file. Call it only between iterations. */
  checkpoint(): Promise<Uint8Array<ArrayBuffer>>;
  /** Frees the GPU. */
  destroy(): void;
}

export interface RunRequest {
  readonly config: Config;
  readonly device: DeviceChoice;
  /** Checkpoint to resume from. */
  readonly from: KeptCheckpoint | null;
  /** Agent to continue training from; random weights if absent. */
  readonly initial?: InitialAgent | undefined;
  /** Pretrained model of a new run; a checkpoint names its own. */
  readonly base?: KeptBase | undefined;
}

export interface SessionOptions {
  readonly post: (message: WorkerMessage) => void;
  /**
   * Prepares a run, from scratch or from a checkpoint. `onFatal` is called when the device fails between
   * calls.
   */
  readonly open: (request: RunRequest, onFatal: (error: Error) => void) => Promise<SessionRun>;
  /** Without it, runs are not saved. */
  readonly keep?: KeepRun;
  /**
   * Locks a kept run for this page.
   *
   * @returns a function that releases the lock
   * @throws if another page holds it.
   */
  readonly lock?: (id: RunId) => Promise<() => void>;
  /** For tests: loses the GPU. */
  readonly loseGpu?: () => void;
  /** Resolves after pending messages have been delivered. */
  readonly yieldToMessages: () => Promise<void>;
}
