/** Runs drawn over the current one: stored runs, one that trains beside it, a prediction. */
import { create } from 'zustand';
import type { Config } from '../../config/schema.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import { whenForgotten } from '../shell/browser/kept.ts';
import type { RunMarker } from '../shell/lab/store.ts';

/** A run for the charts. */
export interface ShownRun {
  readonly id: string;
  readonly name: string;
  /** Its name in an address; absent if it has none. */
  readonly addressed?: string;
  /** Fixed color; the charts choose one if absent. */
  readonly color?: string;
  readonly seed: number;
  /** Equal for runs that differ only in their seed. */
  readonly configKey: string;
  /** One row per iteration, oldest first. */
  readonly rows: readonly MetricRow[];
  readonly markers: readonly RunMarker[];
  /** Never smoothed, for hand-drawn curves. */
  readonly exact?: true;
}

interface ShownRunsState {
  /** Stored runs drawn over the current one, in the order of selection. */
  readonly overlaid: readonly ShownRun[];
  /** A second run that trains in parallel. */
  readonly beside: ShownRun | null;
  /** The user's prediction for the current run. */
  readonly predicted: ShownRun | null;
}

export const useOverlaidRuns = create<ShownRunsState>()(() => ({
  overlaid: [],
  beside: null,
  predicted: null,
}));

whenForgotten(() => useOverlaidRuns.setState({ overlaid: [] }));

/** A config without its seed, as a comparable text. */
export function configKey(config: Config): string {
  return JSON.stringify({ ...config, seed: 0 });
}
