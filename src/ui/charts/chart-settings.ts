/** Display settings of all charts, and their shared crosshair. */

import { z } from 'zod';
import { create } from 'zustand';
import { readKept, whenForgotten, writeKept } from '../shell/browser/kept.ts';
import { useLab } from '../shell/lab/store.ts';
import type { ChartSpec } from './chart-spec.ts';
import { partOf, type Scale } from './scale.ts';
import { type AxisName, axisNames } from './x-axis.ts';

interface ChartSettings {
  readonly axis: AxisName;
  readonly logX: boolean;
  /**
   * Weight of the previous average in the moving average, up to `MOST_SMOOTHING`; 0 disables
   * smoothing.
   */
  readonly smoothing: number;
  /** The visible part of the x axis, in its unit; null for all. */
  readonly zoom: readonly [from: number, to: number] | null;
  /** Hidden series, by chart and name. */
  readonly hiddenSeries: ReadonlySet<string>;
  /** Hidden configs, by key. */
  readonly hiddenRuns: ReadonlySet<string>;
  /** Charts with a logarithmic y axis, by name. */
  readonly logY: ReadonlySet<string>;
  /** Charts shown as a table, by name. */
  readonly tables: ReadonlySet<string>;
  /** Charts as wide as their group, by name. */
  readonly enlarged: ReadonlySet<string>;
  /** The chart pinned beside the stage, below the success chart; null for none. */
  readonly pinned: ChartSpec | null;
}

export const MOST_SMOOTHING = 0.99;

const KEPT = 'charts';

/** Settings persisted between visits: how charts are drawn, not which part is visible. */
const keptSettings = z.object({
  axis: z.enum(axisNames),
  logX: z.boolean(),
  smoothing: z.number().min(0).max(MOST_SMOOTHING),
  logY: z.array(z.string()),
});

function settingsBefore(): Partial<ChartSettings> {
  try {
    const { logY, ...others } = keptSettings.parse(JSON.parse(readKept(KEPT) ?? ''));
    return { ...others, logY: new Set(logY) };
  } catch {
    // Nothing was stored, or another version of the page stored it.
    return {};
  }
}

const defaults: ChartSettings = {
  axis: 'iteration',
  logX: false,
  smoothing: 0.6,
  zoom: null,
  hiddenSeries: new Set(),
  hiddenRuns: new Set(),
  logY: new Set(),
  tables: new Set(),
  enlarged: new Set(),
  pinned: null,
};

export const useChartSettings = create<ChartSettings>()(() => ({
  ...defaults,
  ...settingsBefore(),
}));

whenForgotten(() => useChartSettings.setState(defaults));

useChartSettings.subscribe(({ axis, logX, smoothing, logY }, before) => {
  const same =
    axis === before.axis &&
    logX === before.logX &&
    smoothing === before.smoothing &&
    logY === before.logY;
  if (!same) writeKept(KEPT, JSON.stringify({ axis, logX, smoothing, logY: [...logY] }));
});

/** A zoom range is meaningless on another x axis. */
export function chooseAxis(axis: AxisName): void {
  useChartSettings.setState({ axis, zoom: null });
  useCrosshair.setState({ at: null, chart: null });
}

/** Zooms to a range of the axis; a range beyond both ends shows all. */
export function zoomWithin(whole: Scale, from: number, to: number): void {
  const part = partOf(whole, from, to);
  useChartSettings.setState({ zoom: part === null ? null : [part.from, part.to] });
}

export function showAll(): void {
  useChartSettings.setState({ zoom: null });
}

// A zoom range may show no point of another run, and another recipe has other charts.
useLab.subscribe(({ runId, config }, before) => {
  if (runId !== before.runId) showAll();
  if (config.recipe !== before.config.recipe) useChartSettings.setState({ pinned: null });
});

type Choice = 'hiddenSeries' | 'hiddenRuns' | 'logY' | 'tables' | 'enlarged';

/** Toggles one entry of a set. */
export function toggle(choice: Choice, name: string): void {
  useChartSettings.setState((settings) => {
    const chosen = new Set(settings[choice]);
    if (!chosen.delete(name)) chosen.add(name);
    return { [choice]: chosen };
  });
}

/** Identifies a series among all charts. */
export function seriesKey(chart: string, series: string): string {
  return `${chart}/${series}`;
}

export interface Crosshair {
  /** Position on the x axis; null if hidden. */
  readonly at: number | null;
  /** The chart in which the user moves it. */
  readonly chart: string | null;
}

export const useCrosshair = create<Crosshair>()(() => ({ at: null, chart: null }));

export function moveCrosshair(chart: string, at: number): void {
  useCrosshair.setState({ chart, at });
}

export function hideCrosshair(): void {
  useCrosshair.setState({ chart: null, at: null });
}
