import { create } from 'zustand';
import type { Machine, Phase, RunId, SessionStatus, WorkerMessage } from '../lab/protocol.ts';
import type { Config } from '../runs/config.ts';
import type {
  Diagnosis,
  EnvironmentResult,
  IterationDetails,
  UpdateDetail,
} from '../runs/details.ts';
import type { EpisodeRecord } from '../runs/episode.ts';
import type { MetricRow } from '../runs/metrics.ts';
import { defaultPreset, presetConfig } from '../runs/presets.ts';

/** One iteration as the charts draw it. */
export interface IterationRow {
  readonly iteration: number;
  readonly metrics: MetricRow;
  readonly updates: readonly UpdateDetail[];
  /** Wall clock of the iteration. */
  readonly milliseconds: number;
  /** In a mixture: the training episodes by environment. */
  readonly environments?: readonly EnvironmentResult[];
  /** In a mixture: the evaluation after this iteration by environment. */
  readonly evaluated?: readonly EnvironmentResult[];
}

/** A diagnosis together with the iteration it was made in. */
export interface ShownDiagnosis {
  readonly iteration: number;
  readonly diagnosis: Diagnosis;
}

/** A result of the greedy policy on the evaluation tasks. */
export interface EvaluationRow {
  readonly iteration: number;
  readonly metrics: MetricRow;
}

/** An episode together with the iteration whose policy wrote it. */
export interface ShownEpisode {
  readonly iteration: number;
  readonly record: EpisodeRecord;
}

export interface LabError {
  readonly name: string;
  readonly message: string;
  readonly advice: string;
}

/** `idle` is before the first run. */
export type LabStatus = SessionStatus | 'idle';

export interface LabState {
  readonly preset: string;
  /** Config of the present run. */
  readonly config: Config;
  readonly runId: RunId | null;
  readonly status: LabStatus;
  /** A pause was asked for and the present iteration is being finished. */
  readonly pausing: boolean;
  readonly machine: Machine | null;
  readonly phase: Phase | null;
  readonly fraction: number;
  readonly rows: readonly IterationRow[];
  readonly evaluations: readonly EvaluationRow[];
  /** Ages of the tokens of the newest iteration. */
  readonly staleness: IterationDetails['staleness'];
  /** The newest ones, oldest first; at most `KEPT_DIAGNOSES`, since each holds hundreds of tokens. */
  readonly diagnoses: readonly ShownDiagnosis[];
  /** An episode of the newest iteration, whichever way it ended. */
  readonly latest: ShownEpisode | null;
  readonly success: ShownEpisode | null;
  readonly failure: ShownEpisode | null;
  readonly evaluation: ShownEpisode | null;
  readonly error: LabError | null;
  /** This browser has no WebGPU, or no adapter for it. */
  readonly withoutGpu: boolean;
}

/** As many as one steps through by hand. */
export const KEPT_DIAGNOSES = 40;

/** What a new run starts from: no rows, no episodes, no error. */
const blank = {
  status: 'starting',
  pausing: false,
  phase: null,
  fraction: 0,
  rows: [],
  evaluations: [],
  staleness: [],
  diagnoses: [],
  latest: null,
  success: null,
  failure: null,
  evaluation: null,
  error: null,
} satisfies Partial<LabState>;

export const useLab = create<LabState>()(() => ({
  ...blank,
  preset: defaultPreset,
  config: presetConfig(defaultPreset),
  runId: null,
  status: 'idle',
  machine: null,
  withoutGpu: false,
}));

/** Clears the record and takes messages of this run from now on. */
export function beginRun(runId: RunId, config: Config, preset: string): void {
  useLab.setState({ ...blank, runId, config, preset });
}

/** Enters one message of the worker; messages of other runs are dropped. */
export function receive(message: WorkerMessage): void {
  useLab.setState((lab) => (message.runId === lab.runId ? reduce(lab, message) : lab));
}

function reduce(lab: LabState, message: WorkerMessage): Partial<LabState> {
  switch (message.type) {
    case 'machine':
      return { machine: message.machine };
    case 'status': {
      const { status } = message;
      if (status === 'starting' || status === 'running') return { status };
      return { status, pausing: false, phase: null, fraction: 0 };
    }
    case 'progress':
      return { phase: message.phase, fraction: message.fraction };
    case 'iteration': {
      const { iteration, metrics, details, milliseconds, episodes } = message;
      const { updates, staleness, diagnosis, environments } = details;
      const shown = (record: EpisodeRecord | undefined) =>
        record === undefined ? null : { iteration, record };
      return {
        rows: [
          ...lab.rows,
          {
            iteration,
            metrics,
            updates,
            milliseconds,
            ...(environments === undefined ? {} : { environments }),
          },
        ],
        staleness,
        diagnoses:
          diagnosis === undefined
            ? lab.diagnoses
            : [...lab.diagnoses, { iteration, diagnosis }].slice(-KEPT_DIAGNOSES),
        latest: shown(episodes[0]) ?? lab.latest,
        success: shown(episodes.find((episode) => episode.success)) ?? lab.success,
        failure: shown(episodes.find((episode) => !episode.success)) ?? lab.failure,
      };
    }
    case 'evaluation': {
      const { iteration, metrics, environments: evaluated } = message;
      const record = message.episodes[0];
      return {
        // The charts read one row per iteration, its evaluation included.
        rows: lab.rows.map((row) =>
          row.iteration === iteration
            ? {
                ...row,
                metrics: { ...row.metrics, ...metrics },
                ...(evaluated === undefined ? {} : { evaluated }),
              }
            : row,
        ),
        evaluations: [...lab.evaluations, { iteration, metrics }],
        evaluation: record === undefined ? lab.evaluation : { iteration, record },
      };
    }
    case 'error': {
      const { name, message: text, advice } = message;
      return { error: { name, message: text, advice } };
    }
    case 'episode-list':
    case 'episode-records':
    case 'evaluation-report':
    case 'checkpoint':
    case 'refusal':
      // Answers to a question; who asked takes them.
      return {};
    default:
      return message satisfies never;
  }
}
