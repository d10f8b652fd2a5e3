import { create } from 'zustand';
import { defaultPreset } from '../../config/preset-names.ts';
import { findPreset, presetConfig } from '../../config/presets.ts';
import type { Config } from '../../config/schema.ts';
import type { Evidence } from '../../diagnosis/evidence.ts';
import type { Machine, Phase, RunId, SessionStatus, StorageState } from '../../lab/protocol.ts';
import type { Diagnosis, IterationDetails } from '../../runs/details.ts';
import type { FactsOf, StepPhase } from '../../runs/phase-facts.ts';
import type { ShownEpisode } from '../../runs/record.ts';
import type { Row } from '../../runs/row.ts';
import type { PastEpisodes } from './past.ts';

/** A diagnosis together with the iteration it was made in. */
export interface ShownDiagnosis {
  readonly iteration: number;
  readonly diagnosis: Diagnosis;
}

export type { ShownEpisode };

/** Something that happened to a run in one of its iterations, to be marked on its curves. */
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

/** `idle` is before the first run; `asked` when that is a large one, which waits for a press. */
export type LabStatus = SessionStatus | 'idle' | 'asked';

export interface LabState {
  readonly preset: string;
  /** Config of the present run. */
  readonly config: Config;
  readonly runId: RunId | null;
  /** What the present run is called. */
  readonly name: string;
  /** Whether the present run is kept; null until that is known. */
  readonly storage: StorageState | null;
  readonly markers: readonly RunMarker[];
  /** GPUs lost and replaced while the page shows the run, until the visitor has taken note. */
  readonly recoveries: number;
  readonly status: LabStatus;
  /** A pause was asked for and the present iteration is being finished. */
  readonly pausing: boolean;
  readonly machine: Machine | null;
  readonly phase: Phase | null;
  readonly fraction: number;
  readonly rows: readonly Row[];
  readonly evaluations: readonly Pick<Row, 'iteration' | 'metrics'>[];
  /** Ages of the tokens of the newest iteration. */
  readonly staleness: IterationDetails['staleness'];
  /** What forks of the run showed of its findings. */
  readonly trials: NonNullable<Evidence['trials']>;
  /** The newest ones, oldest first; at most `KEPT_DIAGNOSES`, since each holds hundreds of tokens. */
  readonly diagnoses: readonly ShownDiagnosis[];
  /** An episode of the newest iteration, whichever way it ended. */
  readonly latest: ShownEpisode | null;
  readonly success: ShownEpisode | null;
  readonly failure: ShownEpisode | null;
  readonly evaluation: ShownEpisode | null;
  /** Of this iteration and earlier ones, oldest first, as far as the page has seen them. */
  readonly past: readonly PastEpisodes[];
  /** Null until an iteration is taken phase by phase. */
  readonly step: ShownStep | null;
  /** The run went on here from another device, until the visitor has taken note. */
  readonly moved: { readonly from: string; readonly to: string } | null;
  /** Why the run did not take the newest change of its settings; null where it did. */
  readonly refusedChange: string | null;
  readonly error: LabError | null;
  /** Nothing computes here: what was chosen cannot be had. */
  readonly cannotTrain: boolean;
}

/** An iteration that is taken phase by phase: what its phases came to, of updates the newest one. */
export interface ShownStep {
  readonly iteration: number;
  readonly facts: { readonly [Phase in StepPhase]?: FactsOf<Phase> };
  /** The newest phase. */
  readonly phase: StepPhase;
  /** The whole iteration has been computed. */
  readonly over: boolean;
}

/** As many as one steps through by hand. */
export const KEPT_DIAGNOSES = 40;

/** What a new run starts from: no rows, no episodes, no error. */
export const blank = {
  status: 'starting',
  pausing: false,
  phase: null,
  fraction: 0,
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
  refusedChange: null,
} satisfies Partial<LabState>;

export const useLab = create<LabState>()(() => ({
  ...blank,
  preset: defaultPreset,
  config: presetConfig(defaultPreset),
  runId: null,
  name: '',
  status: 'idle',
  machine: null,
  cannotTrain: false,
}));

/** What diagnosis is told of the present run. */
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

/** What a run is called until its owner calls it otherwise. */
export function defaultRunName(preset: string, { seed }: Pick<Config, 'seed'>): string {
  return `${findPreset(preset).title}, seed ${seed}`;
}

/** Clears the record and takes messages of this run from now on. */
export function beginRun(
  runId: RunId,
  config: Config,
  preset: string,
  name = defaultRunName(preset, config),
): void {
  useLab.setState({ ...blank, runId, config, preset, name });
}
