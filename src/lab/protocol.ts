/**
 * Messages between the page and the training worker. Plain data, tagged with a run id, so that late
 * messages of an ended run can be dropped. Questions and answers are declared in `questions.ts`.
 */

import type { InitialAgent } from '../agents/start.ts';
import type { LiveValues } from '../config/changes.ts';
import type { Config } from '../config/schema.ts';
import type { DeviceChoice } from '../device/choice.ts';
import type { KeptBase } from '../runs/checkpoint.ts';
import type { EpisodeRecord } from '../runs/episode.ts';
import type { PhaseFacts, PhaseStop } from '../runs/phase-facts.ts';
import type { RunStatus } from '../runs/record.ts';
import type { Row } from '../runs/row.ts';
import type { StorageProblem } from '../runs/run-store.ts';
import type { AnswerMessage, Phase, QuestionMessage, RefusalMessage } from './questions.ts';
import type { RunId } from './run-id.ts';

export type { InitialAgent } from '../agents/start.ts';
export { type DeviceChoice, deviceChoices } from '../device/choice.ts';
export type { ProveAnswer, ProveRequest } from './autopsy-messages.ts';
export type { Phase } from './questions.ts';
export type { RunId } from './run-id.ts';

/** From the page to the worker. */
export type PageMessage =
  /** Ends the current run, if any, and starts another. */
  | {
      readonly type: 'start';
      readonly runId: RunId;
      readonly config: Config;
      /** `auto` if absent. A kept run may continue on another device. */
      readonly device?: DeviceChoice;
      /** Prepare everything, then wait for `resume` or `step`. */
      readonly paused: boolean;
      /** Storage of the run; without it the run is lost when the page closes. */
      readonly keep?: KeepRequest;
      /** Agent to continue training from; random weights if absent. */
      readonly initial?: InitialAgent;
      /** Stored pretrained model to train an adapter of, in place of the config's network. */
      readonly base?: KeptBase;
    }
  /** Takes effect after the current iteration. */
  | { readonly type: 'pause'; readonly runId: RunId }
  | { readonly type: 'resume'; readonly runId: RunId }
  /** Computes one iteration of a paused run, or the rest of one, and pauses again. */
  | { readonly type: 'step'; readonly runId: RunId }
  /** Computes one phase of an iteration of a paused run and pauses again. */
  | {
      readonly type: 'step-phase';
      readonly runId: RunId;
      readonly to: PhaseStop;
    }
  /** Changes settings from the next iteration on. Ignored by finished runs. */
  | { readonly type: 'change'; readonly runId: RunId; readonly values: LiveValues }
  /** Continues on another device after the current iteration. */
  | { readonly type: 'move'; readonly runId: RunId; readonly device: DeviceChoice }
  /** For tests: simulates a driver reset. */
  | { readonly type: 'lose-gpu'; readonly runId: RunId }
  /** Ends the run and frees its GPU memory. */
  | { readonly type: 'stop'; readonly runId: RunId }
  | QuestionMessage
  /** Cancels a question; a pending one is answered with a refusal. */
  | { readonly type: 'cancel-question'; readonly runId: RunId; readonly request: number };

/** How a run is kept. */
export interface KeepRequest {
  readonly name: string;
  readonly preset: string;
  /** The run is already stored: continue from its newest checkpoint. */
  readonly stored: boolean;
}

/** Whether a run could be saved. */
export type StorageState =
  /** All iterations up to this one are saved. */
  | { readonly state: 'kept'; readonly iteration: number }
  /** Not saved: no storage, no space, or another page blocks it. Training continues. */
  | { readonly state: StorageProblem; readonly message: string };

/** State of a run. `finished`: its stop condition was met; `stopped`: the page ended it. */
export type SessionStatus = 'starting' | RunStatus;

/** The device that computes, and the size of the policy on it. */
export interface Machine {
  /** The adapter's name, or `processor`. */
  readonly adapter: string;
  /** Whether the CPU computes, through WebAssembly. */
  readonly processor: boolean;
  /** Whether the adapter emulates a GPU on the CPU. */
  readonly software: boolean;
  /** CPU threads; 0 on a GPU. */
  readonly threads: number;
  /** Why no GPU is used, in one sentence; null if one is used or none was requested. */
  readonly withoutGpu: string | null;
  /** The device that the run was on before, if it was a different one. */
  readonly movedFrom: string | null;
  /** Trainable parameters. */
  readonly parameters: number;
  /** Tokens in the policy's vocabulary. */
  readonly vocabulary: number;
}

/** Why the current run waits for its server; null when the server responds again. */
export interface ServerMessage {
  readonly type: 'server-waiting';
  readonly reason: string | null;
}

/** From the worker to the page. */
export type WorkerMessage =
  | { readonly type: 'machine'; readonly runId: RunId; readonly machine: Machine }
  | { readonly type: 'status'; readonly runId: RunId; readonly status: SessionStatus }
  /** The run's config, with all changes so far. */
  | { readonly type: 'config-changed'; readonly runId: RunId; readonly config: Config }
  /** The requested changes are invalid for this run; `reason` is one sentence. */
  | { readonly type: 'change-rejected'; readonly runId: RunId; readonly reason: string }
  | { readonly type: 'storage'; readonly runId: RunId; readonly storage: StorageState }
  /** The run continues after this iteration; later iterations are recomputed. */
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
      /** Completed share of the phase, in [0, 1]. */
      readonly fraction: number;
      /** Loss of the newest update, in nats, in phases that learn. */
      readonly loss?: number;
    }
  /** A finished iteration. */
  | {
      readonly type: 'row';
      readonly runId: RunId;
      readonly row: Row;
      /** One training episode, and one with the opposite outcome if there is any. */
      readonly episodes: readonly EpisodeRecord[];
      /** At most one episode of the row's evaluation. */
      readonly evaluated: readonly EpisodeRecord[];
    }
  /** Result of a phase; the run waits for `step-phase`, `step` or `resume`. */
  | { readonly type: 'phase'; readonly runId: RunId; readonly facts: PhaseFacts }
  | AnswerMessage
  | RefusalMessage
  | {
      readonly type: 'error';
      readonly runId: RunId;
      readonly name: string;
      readonly message: string;
      /** What the user can do about it. */
      readonly advice: string;
    };
