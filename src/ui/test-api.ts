/** The small typed door that tests look through: the lab's state as plain data. */

import type { StorageState } from '../lab/protocol.ts';
import type { UpdateDetail } from '../runs/details.ts';
import type { MetricRow } from '../runs/metrics.ts';
import { loseGpu } from './lab/commands.ts';
import { type LabError, type LabStatus, type RunMarker, useLab } from './lab/store.ts';
import { type ShownRun, useOverlaidRuns } from './runs/runs-store.ts';

export interface LabSnapshot {
  readonly status: LabStatus;
  readonly runId: string | null;
  readonly preset: string;
  /** Iterations finished. */
  readonly iterations: number;
  readonly adapter: string | null;
  /** One row per iteration, oldest first. */
  readonly rows: readonly MetricRow[];
  /** The updates of each iteration. */
  readonly updates: readonly (readonly UpdateDetail[])[];
  /** Iterations with a diagnosis that is still kept. */
  readonly diagnosed: readonly number[];
  readonly error: LabError | null;
  readonly cannotTrain: boolean;
  readonly storage: StorageState | null;
  readonly markers: readonly RunMarker[];
}

export interface PalestraApi {
  snapshot(): LabSnapshot;
  /** What a wait looks at, many times a second, while a snapshot would carry every row. */
  progress(): { readonly finished: number; readonly error: LabError | null };
  /** Lays runs over the present one, as choosing them from the kept ones does. */
  overlay(runs: readonly ShownRun[]): void;
  /** Takes the GPU away from the run, as a driver's reset does. */
  loseGpu(): void;
}

declare global {
  interface Window {
    palestra?: PalestraApi;
  }
}

export function offerTestApi(): void {
  window.palestra = {
    overlay(overlaid) {
      useOverlaidRuns.setState({ overlaid });
    },
    snapshot() {
      const { status, runId, preset, rows, diagnoses, machine, error, cannotTrain } =
        useLab.getState();
      const { storage, markers } = useLab.getState();
      return {
        status,
        runId,
        preset,
        iterations: rows.length,
        adapter: machine?.adapter ?? null,
        rows: rows.map(({ metrics }) => metrics),
        updates: rows.map(({ details }) => details.updates),
        diagnosed: diagnoses.map(({ iteration }) => iteration),
        error,
        cannotTrain,
        storage,
        markers,
      };
    },
    progress() {
      const { rows, error } = useLab.getState();
      return { finished: rows.length, error };
    },
    loseGpu,
  };
}
