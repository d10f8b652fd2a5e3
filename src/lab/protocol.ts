/**
 * The messages between the page and the training worker: plain data, tagged with the run they belong
 * to, so that a late message of an ended run can be told apart and dropped.
 */

import type { InitialAgent } from '../agents/start.ts';
import type { LiveValues } from '../config/changes.ts';
import type { Config } from '../config/schema.ts';
import type { DeviceChoice } from '../device/choice.ts';
import type { EpisodeRecord } from '../runs/episode.ts';
import type { EvaluationReport } from '../runs/evaluation-report.ts';
import type { Alternatives, Inspection } from '../runs/inspection.ts';
import type { EpisodeSummary } from '../runs/kept-episodes.ts';
import type { PhaseFacts } from '../runs/phase-facts.ts';
import type { RunStatus } from '../runs/record.ts';
import type { Row } from '../runs/row.ts';
import type { StorageProblem } from '../runs/run-store.ts';
import type { Phase as TrainingPhase } from '../training/recipe.ts';
import type { ConversationAnswer, ConversationQuestion, GiveUp } from './conversation-messages.ts';
import type { RunId } from './run-id.ts';

export type { InitialAgent } from '../agents/start.ts';
export { type DeviceChoice, deviceChoices } from '../device/choice.ts';

export type { ProveAnswer, ProveRequest } from './autopsy-messages.ts';
export type {
  CollectedCritiques,
  CritiqueAuthor,
  WeighedCritique,
} from './conversation-messages.ts';
export type { RunId } from './run-id.ts';

/** What the page asks of the worker. */
export type PageMessage =
  /** Ends the present run, if any, and begins another. */
  | {
      readonly type: 'start';
      readonly runId: RunId;
      readonly config: Config;
      /** What it is to be computed on, `auto` where absent; a kept run may go on elsewhere. */
      readonly device?: DeviceChoice;
      /** Prepare everything, then wait for `resume` or `step`. */
      readonly paused: boolean;
      /** How the run is kept; one without is forgotten with the page. */
      readonly keep?: KeepRequest;
      /** The agent that training goes on from; random weights where absent. */
      readonly initial?: InitialAgent;
    }
  /** Takes effect after the iteration that is being computed. */
  | { readonly type: 'pause'; readonly runId: RunId }
  | { readonly type: 'resume'; readonly runId: RunId }
  /** Computes one iteration of a paused run and pauses again. */
  | { readonly type: 'step'; readonly runId: RunId }
  /**
   * Computes one phase of an iteration of a paused run and pauses again. In the midst of an iteration
   * `step` computes the rest of it, and `resume` goes on from there.
   */
  | {
      readonly type: 'step-phase';
      readonly runId: RunId;
      /** The next phase, or the loss of the iteration's last update. */
      readonly to: 'next' | 'last-loss';
    }
  /** Changes settings from the next iteration on. A run that has finished stays as it is. */
  | { readonly type: 'change'; readonly runId: RunId; readonly values: LiveValues }
  /** Goes on on another device after the iteration that is being computed. */
  | { readonly type: 'move'; readonly runId: RunId; readonly device: DeviceChoice }
  /** For tests: the GPU is lost, as when a driver is reset. */
  | { readonly type: 'lose-gpu'; readonly runId: RunId }
  /** Ends the run and frees its GPU memory. */
  | { readonly type: 'stop'; readonly runId: RunId }
  /** Asks which episodes are kept; the latest run answers, also when it is over. */
  | { readonly type: 'list-episodes'; readonly runId: RunId; readonly request: number }
  /** Asks for some of them. */
  | {
      readonly type: 'read-episodes';
      readonly runId: RunId;
      readonly request: number;
      /** As the list names them. */
      readonly numbers: readonly number[];
      /** With every token and its probability. */
      readonly tokens: boolean;
    }
  /** Asks for a kept episode with all that was learned from it. */
  | {
      readonly type: 'inspect-episode';
      readonly runId: RunId;
      readonly request: number;
      readonly number: number;
    }
  /** Asks what the agent, as it is after the present iteration, would write in a kept episode. */
  | {
      readonly type: 'read-alternatives';
      readonly runId: RunId;
      readonly request: number;
      readonly number: number;
    }
  /**
   * Plays the evaluation tasks with the agent as it is after the present iteration, which the phase
   * `evaluate` tells the progress of. A run that has finished keeps its agent; others that are over
   * refuse.
   */
  | {
      readonly type: 'evaluate-agent';
      readonly runId: RunId;
      readonly request: number;
      readonly settings: EvaluationSettings;
    }
  /** Asks for the agent as it is after the present iteration. */
  | { readonly type: 'read-checkpoint'; readonly runId: RunId; readonly request: number }
  | ConversationQuestion
  | GiveUp;

/** How a run is to be kept. */
export interface KeepRequest {
  readonly name: string;
  readonly preset: string;
  /** It is kept already: go on from its newest checkpoint. */
  readonly stored: boolean;
}

/** What has become of the wish to keep a run. */
export type StorageState =
  /** Every iteration up to this one is kept. */
  | { readonly state: 'kept'; readonly iteration: number }
  /** Not kept, for want of storage or of room in it, or because another page is in the way. Training goes on. */
  | { readonly state: StorageProblem; readonly message: string };

/** What an evaluation plays. */
export interface EvaluationSettings {
  /** Of each environment, from the first on; 0 for all. */
  readonly tasks: number;
  /** Episodes of each task of the players that draw. */
  readonly samples: number;
  readonly seed: number;
}

/** Where a run stands. `finished`: its stop condition was met; `stopped`: the page ended it. */
export type SessionStatus = 'starting' | RunStatus;

/** What the worker is doing: a phase of training, or making critiques or drawing samples for the page. */
export type Phase = TrainingPhase | 'collect' | 'draw';

/** What computes, and the policy that trains on it. */
export interface Machine {
  /** What the device calls itself: the adapter's name, or `processor`. */
  readonly adapter: string;
  /** The processor itself computes, and no GPU. */
  readonly processor: boolean;
  /** The adapter is the processor pretending to be a GPU. */
  readonly software: boolean;
  /** Threads of the processor; 0 on a GPU. */
  readonly threads: number;
  /** One sentence: why no GPU computes; null where one does, or none was asked for. */
  readonly withoutGpu: string | null;
  /** What computed the run before it went on here, where that was another device; else null. */
  readonly movedFrom: string | null;
  /** Trainable numbers in the policy. */
  readonly parameters: number;
  /** Tokens in the policy's vocabulary. */
  readonly vocabulary: number;
}

/** A kept episode by its number. */
export interface NumberedRecord {
  readonly number: number;
  readonly record: EpisodeRecord;
}

/** What the worker tells the page. */
export type WorkerMessage =
  | { readonly type: 'machine'; readonly runId: RunId; readonly machine: Machine }
  | { readonly type: 'status'; readonly runId: RunId; readonly status: SessionStatus }
  /** The run's config with the changes that it was given. */
  | { readonly type: 'changed'; readonly runId: RunId; readonly config: Config }
  /** Changes that the run cannot have, and why, in a sentence. */
  | { readonly type: 'unchanged'; readonly runId: RunId; readonly reason: string }
  | { readonly type: 'storage'; readonly runId: RunId; readonly storage: StorageState }
  /** The run goes on after this iteration; what was computed after it is computed again. */
  | {
      readonly type: 'restored';
      readonly runId: RunId;
      readonly iteration: number;
      readonly reason: 'opened' | 'gpu-lost';
    }
  | {
      readonly type: 'progress';
      readonly runId: RunId;
      readonly phase: Phase;
      /** Share of the phase that is done, in [0, 1]. */
      readonly fraction: number;
    }
  | (Pick<Row, 'iteration' | 'metrics' | 'details' | 'milliseconds'> & {
      readonly type: 'iteration';
      readonly runId: RunId;
      /** An episode of the iteration, and one that ended the other way, if any did. */
      readonly episodes: readonly EpisodeRecord[];
    })
  | (NonNullable<Row['evaluation']> & {
      readonly type: 'evaluation';
      readonly runId: RunId;
      readonly iteration: number;
      readonly episodes: readonly EpisodeRecord[];
    })
  | {
      readonly type: 'episode-list';
      readonly runId: RunId;
      readonly request: number;
      /** Of training, oldest first, then of the latest evaluation. */
      readonly episodes: readonly EpisodeSummary[];
    }
  | {
      readonly type: 'episode-records';
      readonly runId: RunId;
      readonly request: number;
      /** Those that were asked for and are still kept. */
      readonly records: readonly NumberedRecord[];
    }
  | ConversationAnswer
  /** What a phase came to; the run waits for `step-phase`, `step` or `resume`. */
  | { readonly type: 'phase'; readonly runId: RunId; readonly facts: PhaseFacts }
  | {
      readonly type: 'inspection';
      readonly runId: RunId;
      readonly request: number;
      /** Null where the episode is no longer kept. */
      readonly inspection: Inspection | null;
    }
  | {
      readonly type: 'alternatives';
      readonly runId: RunId;
      readonly request: number;
      readonly alternatives: Alternatives;
    }
  | {
      readonly type: 'evaluation-report';
      readonly runId: RunId;
      readonly request: number;
      readonly report: EvaluationReport;
    }
  | {
      readonly type: 'checkpoint';
      readonly runId: RunId;
      readonly request: number;
      /** A file in the safetensors layout. */
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
  /** The agent was asked for and cannot be had. */
  | {
      readonly type: 'refusal';
      readonly runId: RunId;
      readonly request: number;
      /** One sentence. */
      readonly reason: string;
    }
  | {
      readonly type: 'error';
      readonly runId: RunId;
      readonly name: string;
      readonly message: string;
      /** What the visitor can do about it. */
      readonly advice: string;
    };
