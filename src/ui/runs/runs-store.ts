/** Kept runs beside the present one: their table, and those whose curves are laid over its. */
import { create } from 'zustand';
import type { Config } from '../../config/schema.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import { whenForgotten } from '../browser/kept.ts';
import type { RunMarker } from '../lab/store.ts';

/** A run as the charts draw it. */
export interface ShownRun {
  readonly id: string;
  readonly name: string;
  /** What an address names it by; absent where none can. */
  readonly addressed?: string;
  /** Chosen for it; the charts choose where absent. */
  readonly colour?: string;
  readonly seed: number;
  /** Equal for runs that differ in nothing but their seed. */
  readonly configKey: string;
  /** One row per iteration, oldest first. */
  readonly rows: readonly MetricRow[];
  readonly markers: readonly RunMarker[];
}

export interface ShownRunsState {
  /** Kept runs laid over the present one, in the order in which they were chosen. */
  readonly overlaid: readonly ShownRun[];
  /** Trains beside the present run, and lies over it as well. */
  readonly beside: ShownRun | null;
  /** What somebody expected of the present run. */
  readonly predicted: ShownRun | null;
}

export interface RunsPanel {
  readonly open: boolean;
  /** It has been open. */
  readonly wanted: boolean;
  /** It was opened to look for a run. */
  readonly searching: boolean;
}

/** The table of kept runs. */
export const useRunsPanel = create<RunsPanel>()(() => ({
  open: false,
  wanted: false,
  searching: false,
}));

export function openRuns(open: boolean, searching = false): void {
  useRunsPanel.setState(open ? { open, wanted: true, searching } : { open });
}

export const useOverlaidRuns = create<ShownRunsState>()(() => ({
  overlaid: [],
  beside: null,
  predicted: null,
}));

whenForgotten(() => useOverlaidRuns.setState({ overlaid: [] }));

/** Everything of a config but its seed, as one text. */
export function configKey(config: Config): string {
  return JSON.stringify({ ...config, seed: 0 });
}
