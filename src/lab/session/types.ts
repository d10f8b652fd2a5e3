/** What a session is given: runs, the ways to open and to keep them, and the way to the page. */

import type { LiveValues } from '../../config/changes.ts';
import type { Config } from '../../config/schema.ts';
import type { DeviceChoice } from '../../device/index.ts';
import type { KeptConversation } from '../../runs/conversation.ts';
import type { EpisodeRecord } from '../../runs/episode.ts';
import type { EvaluationReport } from '../../runs/evaluation-report.ts';
import type { Alternatives, Inspection } from '../../runs/inspection.ts';
import type { EpisodeSummary } from '../../runs/kept-episodes.ts';
import type { PhaseFacts } from '../../runs/phase-facts.ts';
import type { KeptCheckpoint, KeptEpisodesState } from '../../runs/record.ts';
import type { Row } from '../../runs/row.ts';
import type { DrawnTasks, TestTimePlan } from '../../runs/test-time.ts';
import type { CollectedCritiques, WeighedCritique } from '../conversation-messages.ts';
import type { KeptIdentity, RunKeeper } from '../keeper.ts';
import type {
  EvaluationSettings,
  InitialAgent,
  Machine,
  NumberedRecord,
  Phase,
  RunId,
  StorageState,
  WorkerMessage,
} from '../protocol.ts';

/** What one iteration hands to the page. */
export interface SessionIteration extends Pick<Row, 'iteration' | 'metrics' | 'details'> {
  readonly episodes: readonly EpisodeRecord[];
  readonly evaluation?: NonNullable<Row['evaluation']> & {
    readonly episodes: readonly EpisodeRecord[];
  };
}

/** A run that is kept while it trains. */
export type KeepRun = (identity: KeptIdentity, tell: (state: StorageState) => void) => RunKeeper;

/** The episodes that a run keeps; they can be read when the GPU has been freed as well. */
export interface SessionEpisodes {
  /** All of them, to be kept with the run. */
  readonly state: KeptEpisodesState;
  list(): readonly EpisodeSummary[];
  /** Those of the given numbers that are still kept. */
  read(numbers: readonly number[], tokens: boolean): readonly NumberedRecord[];
  /** A kept episode with all that was learned from it, or null. */
  inspect(number: number): Inspection | null;
  /** What an actor and its critic said, oldest first. */
  conversations(): readonly KeptConversation[];
}

/** Waited for after each phase of an iteration; an error that it throws leaves the iteration. */
export type LookAtPhase = (facts: PhaseFacts) => Promise<void>;

/** A trainer on a machine, as the session leads it. */
export interface SessionRun {
  readonly machine: Machine;
  readonly episodes: SessionEpisodes;
  /** Iterations finished. */
  readonly iteration: number;
  /** A stop condition of the config is met. */
  readonly finished: boolean;
  /**
   * @param look where the iteration is taken phase by phase; what is trained is the same with and
   *   without it
   */
  iterate(
    onProgress: (phase: Phase, fraction: number) => void,
    look: LookAtPhase | null,
  ): Promise<SessionIteration>;
  /**
   * Changes settings from the next iteration on; between iterations.
   *
   * @returns the run's config, which lists the changes
   * @throws {ConfigError} for values that are not allowed.
   * @throws {RunTooLargeError} where the device has no room for what they come to.
   */
  change(values: LiveValues): Promise<Config>;
  /** Between iterations; what is trained afterwards is the same with and without it. */
  evaluate(
    settings: EvaluationSettings,
    onProgress: (fraction: number) => void,
    breathe: () => Promise<void>,
  ): Promise<EvaluationReport>;
  /** What the agent would write in a kept episode, or null; between iterations. */
  alternatives(number: number): Promise<Alternatives | null>;
  /** What the actor answers to a task; between iterations, like the next three. */
  answerTask(task: string, draw: number): Promise<string>;
  weighCritique(
    about: Readonly<Record<'task' | 'answer' | 'critique', string>>,
  ): Promise<readonly WeighedCritique[]>;
  collectCritiques(
    wanted: { readonly count: number; readonly seed: number },
    onProgress: (fraction: number) => void,
  ): Promise<CollectedCritiques>;
  drawSamples(plan: TestTimePlan, onProgress: (fraction: number) => void): Promise<DrawnTasks>;
  /** The agent as a file; between iterations. */
  checkpoint(): Promise<Uint8Array<ArrayBuffer>>;
  /** Frees the GPU. */
  destroy(): void;
}

/** What a run is made of. */
export interface RunRequest {
  readonly config: Config;
  readonly device: DeviceChoice;
  /** The checkpoint that it goes on from. */
  readonly from: KeptCheckpoint | null;
  /** The agent that training goes on from; random weights where absent. */
  readonly initial?: InitialAgent | undefined;
}

export interface SessionOptions {
  readonly post: (message: WorkerMessage) => void;
  /**
   * Makes a run ready to iterate, from random weights or from a checkpoint. `onFatal` is called when
   * the GPU fails in between calls.
   */
  readonly open: (request: RunRequest, onFatal: (error: Error) => void) => Promise<SessionRun>;
  /** Absent where nothing is ever kept. */
  readonly keep?: KeepRun;
  /**
   * Makes a kept run this page's own until the answer is called.
   *
   * @throws where another page has it open.
   */
  readonly lock?: (id: RunId) => Promise<() => void>;
  /** For tests: loses the GPU. */
  readonly loseGpu?: () => void;
  /** Resolves after messages that have arrived in the meantime were delivered. */
  readonly breathe: () => Promise<void>;
}
