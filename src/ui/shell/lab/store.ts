import { create } from 'zustand';
import { defaultPreset } from '../../../config/preset-names.ts';
import { findPreset, presetConfig } from '../../../config/presets.ts';
import type { Config } from '../../../config/schema.ts';
import type { Evidence } from '../../../diagnosis/evidence.ts';
import type { Machine, Phase, RunId, SessionStatus, StorageState } from '../../../lab/protocol.ts';
import type { KeptBase } from '../../../runs/checkpoint.ts';
import type { Diagnosis, IterationDetails } from '../../../runs/details.ts';
import type { FactsOf, StepPhase } from '../../../runs/phase-facts.ts';
import type { ShownEpisode } from '../../../runs/record.ts';
import type { Row } from '../../../runs/row.ts';
import type { PastEpisodes } from './past.ts';

/** A diagnosis and its iteration. */
interface ShownDiagnosis {
  readonly iteration: number;
  readonly diagnosis: Diagnosis;
}

export type { ShownEpisode };

/** An event that is marked on the curves. */
export interface RunMarker {
  readonly iteration: number;
  /** A few words. */
  readonly text: string;
}

export interface LabError {
  readonly name: string;
  readonly message: string;
  readonly advice: string;
}

/** `idle`: before the first run; `asked`: a large run that waits for confirmation. */
export type LabStatus = SessionStatus | 'idle' | 'asked';

export interface LabState {
  readonly preset: string;
  /** Config of the current run. */
  readonly config: Config;
  readonly runId: RunId | null;
  /** Pretrained model for which the run trains an adapter; null if it trains a whole network. */
  readonly base: KeptBase | null;
  /** Whether the run has been started with the weights of an agent. */
  readonly given: boolean;
  /** Name of the current run. */
  readonly name: string;
  /** Whether the current run is saved; null until known. */
  readonly storage: StorageState | null;
  readonly markers: readonly RunMarker[];
  /** How often the GPU was lost and recovered since the user dismissed the notice. */
  readonly recoveries: number;
  readonly status: LabStatus;
  /** A pause is requested; the current iteration is finishing. */
  readonly pausing: boolean;
  readonly machine: Machine | null;
  readonly phase: Phase | null;
  readonly fraction: number;
  /** Losses of the phase before the first iteration, in nats, each with the completed fraction of the phase. */
  readonly losses: readonly { readonly at: number; readonly loss: number }[];
  readonly rows: readonly Row[];
  readonly evaluations: readonly Pick<Row, 'iteration' | 'metrics'>[];
  /** Staleness of the newest iteration's tokens. */
  readonly staleness: IterationDetails['staleness'];
  /** Results of forks that test findings. */
  readonly trials: NonNullable<Evidence['trials']>;
  /** The last `KEPT_DIAGNOSES`, oldest first; not more, because each holds hundreds of tokens. */
  readonly diagnoses: readonly ShownDiagnosis[];
  /** An episode of the newest iteration. */
  readonly latest: ShownEpisode | null;
  readonly success: ShownEpisode | null;
  readonly failure: ShownEpisode | null;
  readonly evaluation: ShownEpisode | null;
  /** Episodes of this and earlier iterations, oldest first. */
  readonly past: readonly PastEpisodes[];
  /** Null unless the run is stepped through phase by phase. */
  readonly step: ShownStep | null;
  /** The last change of device, until the user dismisses the notice. */
  readonly moved: { readonly from: string; readonly to: string } | null;
  /** Why the run waits for its server; null if it does not. */
  readonly serverWaiting: string | null;
  /** Why the last change of settings was rejected, or null. */
  readonly refusedChange: string | null;
  readonly error: LabError | null;
  /** The selected device is unavailable. */
  readonly cannotTrain: boolean;
}

/** Results of the phases of an iteration. */
export interface ShownStep {
  readonly iteration: number;
  /** For updates, the facts of the newest one. */
  readonly facts: { readonly [Phase in StepPhase]?: FactsOf<Phase> };
  /** All updates shown so far, oldest first; the newest may have a loss but no result yet. */
  readonly updates: readonly {
    readonly loss: FactsOf<'loss'>;
    readonly update: FactsOf<'update'> | null;
  }[];
  /** The last phase. */
  readonly phase: StepPhase;
  /** The iteration is complete. */
  readonly over: boolean;
}

/** Whether the agent copies an expert and has played no episodes yet. */
export const isCopying = ({ rows, phase }: Pick<LabState, 'rows' | 'phase'>): boolean =>
  rows.length === 0 && phase === 'imitate';

export const KEPT_DIAGNOSES = 40;
export const MOST_LOSSES = 400;

/** Initial state of a new run. */
export const blank = {
  given: false,
  status: 'starting',
  pausing: false,
  phase: null,
  fraction: 0,
  losses: [],
  rows: [],
  evaluations: [],
  staleness: [],
  trials: {},
  diagnoses: [],
  latest: null,
  success: null,
  failure: null,
  evaluation: null,
  past: [],
  step: null,
  error: null,
  storage: null,
  markers: [],
  recoveries: 0,
  moved: null,
  serverWaiting: null,
  refusedChange: null,
} satisfies Partial<LabState>;

export const useLab = create<LabState>()(() => ({
  ...blank,
  preset: defaultPreset,
  config: presetConfig(defaultPreset),
  runId: null,
  base: null,
  name: '',
  status: 'idle',
  machine: null,
  cannotTrain: false,
}));

/** Input of the diagnosis for the current run. */
export function evidenceOf({
  rows,
  evaluations,
  config,
  machine,
  trials,
}: Pick<LabState, 'rows' | 'evaluations' | 'config' | 'machine' | 'trials'>): Evidence {
  return {
    rows,
    evaluations,
    facts: config,
    trials,
    ...(machine === null ? {} : { vocabulary: machine.vocabulary }),
  };
}

/** Default name of a run. */
export function defaultRunName(
  preset: string,
  { seed, env }: Pick<Config, 'seed' | 'env'>,
): string {
  const { name } = env.options;
  // A drawn maze may have a name.
  const title = typeof name === 'string' && name !== '' ? name : findPreset(preset).title;
  return `${title}, seed ${seed}`;
}

/** Clears the state and accepts messages of this run from now on. */
export function beginRun(
  runId: RunId,
  config: Config,
  preset: string,
  name = defaultRunName(preset, config),
  base: KeptBase | null = null,
  given = false,
): void {
  useLab.setState({ ...blank, runId, config, preset, name, base, given });
}

/** The run ended before its last iteration; if it is stored, it can be opened again. */
export function hasBrokenOff({ status }: Pick<LabState, 'status'>): boolean {
  return status === 'failed' || status === 'stopped';
}

/** The run has ended; a press of Start begins another one. */
export function isOver({ status, rows }: Pick<LabState, 'status' | 'rows'>): boolean {
  return rows.length > 0 && (status === 'finished' || hasBrokenOff({ status }));
}
