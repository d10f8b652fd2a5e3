/** The runs whose curves are on the charts: the present one, and others that were kept. */
import { useMemo } from 'react';
import { create } from 'zustand';
import type { Config } from '../runs/config.ts';
import type { MetricRow } from '../runs/metrics.ts';
import { findPreset } from '../runs/presets.ts';
import { type LabState, useLab } from './store.ts';

/** Something that happened to a run in one of its iterations, to be marked on its curves. */
export interface RunMarker {
  readonly iteration: number;
  /** A few words. */
  readonly text: string;
}

/** A run as the charts draw it. */
export interface ShownRun {
  readonly id: string;
  readonly name: string;
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
}

export const useOverlaidRuns = create<ShownRunsState>()(() => ({ overlaid: [] }));

/** Everything of a config but its seed, as one text. */
export function configKey(config: Config): string {
  return JSON.stringify({ ...config, seed: 0 });
}

/** What a run is called until its owner calls it otherwise. */
export function defaultRunName(preset: string, { seed }: Pick<Config, 'seed'>): string {
  return `${findPreset(preset).title}, seed ${seed}`;
}

/** The present run first, then those laid over it. Before the first run there is none. */
export function useShownRuns(): readonly ShownRun[] {
  const present = usePresentRun();
  const overlaid = useOverlaidRuns((runs) => runs.overlaid);
  return useMemo(
    () =>
      present === null ? overlaid : [present, ...overlaid.filter(({ id }) => id !== present.id)],
    [present, overlaid],
  );
}

function usePresentRun(): ShownRun | null {
  const id = useLab((lab) => lab.runId);
  const preset = useLab((lab) => lab.preset);
  const config = useLab((lab) => lab.config);
  const rows = useLab((lab) => lab.rows);
  return useMemo(() => presentRun({ runId: id, preset, config, rows }), [id, preset, config, rows]);
}

/** The present run as the charts draw it; null before the first. */
export function presentRun({
  runId,
  preset,
  config,
  rows,
}: Pick<LabState, 'runId' | 'preset' | 'config' | 'rows'>): ShownRun | null {
  if (runId === null) return null;
  return {
    id: runId,
    name: defaultRunName(preset, config),
    seed: config.seed,
    configKey: configKey(config),
    rows: rows.map(({ metrics }) => metrics),
    markers: [],
  };
}
