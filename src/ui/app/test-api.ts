/** A small typed API for end-to-end tests: the lab's state as plain data. */

import type { StorageState } from '../../lab/protocol.ts';
import type { UpdateDetail } from '../../runs/details.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import { type ShownRun, useOverlaidRuns } from '../charts/overlaid-runs.ts';
import { loseGpu } from '../shell/lab/commands.ts';
import { type LabError, type LabStatus, type RunMarker, useLab } from '../shell/lab/store.ts';

/** Polled many times a second. */
export interface LabState {
  readonly status: LabStatus;
  readonly runId: string | null;
  readonly preset: string;
  /** Iterations finished. */
  readonly iterations: number;
  readonly adapter: string | null;
  /** Iterations whose diagnosis is still kept. */
  readonly diagnosed: readonly number[];
  readonly error: LabError | null;
  readonly cannotTrain: boolean;
  readonly storage: StorageState | null;
  readonly markers: readonly RunMarker[];
  /** Settings changed during training, as the config lists them. */
  readonly changes: string;
}

/** The state with all measurements, which is large for a long run. */
export interface LabSnapshot extends LabState {
  /** One row per iteration, oldest first. */
  readonly rows: readonly MetricRow[];
  /** The updates of each iteration. */
  readonly updates: readonly (readonly UpdateDetail[])[];
}

export interface PalestraApi {
  state(): LabState;
  snapshot(): LabSnapshot;
  /** Overlays runs on the current one, like choosing them from the list of runs. */
  overlay(runs: readonly ShownRun[]): void;
  /** Simulates the loss of the GPU, as after a driver reset. */
  loseGpu(): void;
}

declare global {
  interface Window {
    palestra?: PalestraApi;
  }
}

function state(): LabState {
  const { status, runId, preset, rows, diagnoses, machine, error } = useLab.getState();
  const { cannotTrain, storage, markers, config } = useLab.getState();
  return {
    status,
    runId,
    preset,
    iterations: rows.length,
    adapter: machine?.adapter ?? null,
    diagnosed: diagnoses.map(({ iteration }) => iteration),
    error,
    cannotTrain,
    storage,
    markers,
    changes: config.changes,
  };
}

export function offerTestApi(): void {
  window.palestra = {
    overlay(overlaid) {
      useOverlaidRuns.setState({ overlaid });
    },
    state,
    snapshot() {
      const { rows } = useLab.getState();
      return {
        ...state(),
        rows: rows.map(({ metrics }) => metrics),
        updates: rows.map(({ details }) => details.updates),
      };
    },
    loseGpu,
  };
}
