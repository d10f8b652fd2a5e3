/** How all charts are drawn, and where their common crosshair stands. */

import { z } from 'zod';
import { create } from 'zustand';
import { readKept, whenForgotten, writeKept } from '../browser/kept.ts';
import { partOf, type Scale } from './scale.ts';
import { type AxisName, axisNames } from './x-axis.ts';

export interface ChartSettings {
  readonly axis: AxisName;
  readonly logX: boolean;
  /** Weight of the average before in the moving average, up to `MOST_SMOOTHING`; 0 draws the values alone. */
  readonly smoothing: number;
  /** The part of the x axis that is shown, in its own unit; null shows all. */
  readonly zoom: readonly [from: number, to: number] | null;
  /** Series switched off, by chart and name. */
  readonly hiddenSeries: ReadonlySet<string>;
  /** Configs switched off, by their key. */
  readonly hiddenRuns: ReadonlySet<string>;
  /** Charts with a logarithmic y axis, by name. */
  readonly logY: ReadonlySet<string>;
  /** Charts shown as a table, by name. */
  readonly tables: ReadonlySet<string>;
}

export const MOST_SMOOTHING = 0.99;

const KEPT = 'charts';

/** What is kept from one visit to the next: how charts are drawn, not what of a run is looked at. */
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
    // Nothing was kept, or not by this version of the page.
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

/** Another abscissa has other numbers, so that the part that was shown means nothing on it. */
export function chooseAxis(axis: AxisName): void {
  useChartSettings.setState({ axis, zoom: null });
  useCrosshair.setState({ at: null, chart: null });
}

/** Shows a part of the whole axis; what reaches over both of its ends shows all. */
export function zoomWithin(whole: Scale, from: number, to: number): void {
  const part = partOf(whole, from, to);
  useChartSettings.setState({ zoom: part === null ? null : [part.from, part.to] });
}

export function showAll(): void {
  useChartSettings.setState({ zoom: null });
}

type Choice = 'hiddenSeries' | 'hiddenRuns' | 'logY' | 'tables';

/** Switches one entry of a set on or off. */
export function toggle(choice: Choice, name: string): void {
  useChartSettings.setState((settings) => {
    const chosen = new Set(settings[choice]);
    if (!chosen.delete(name)) chosen.add(name);
    return { [choice]: chosen };
  });
}

/** Names a series among those of all charts. */
export function seriesKey(chart: string, series: string): string {
  return `${chart}/${series}`;
}

export interface Crosshair {
  /** On the x axis; null where it is nowhere. */
  readonly at: number | null;
  /** The chart that it is moved in. */
  readonly chart: string | null;
}

export const useCrosshair = create<Crosshair>()(() => ({ at: null, chart: null }));

export function moveCrosshair(chart: string, at: number): void {
  useCrosshair.setState({ chart, at });
}

export function hideCrosshair(): void {
  useCrosshair.setState({ chart: null, at: null });
}
