/**
 * The data that charts draw and explain: the current run and its overlays. Also schedules the
 * drawing: one chart per frame.
 */

import { type RefObject, useEffect, useState } from 'react';
import { changesOf } from '../../config/changes.ts';
import { fieldTitle } from '../../config/fields.ts';
import type { Config } from '../../config/schema.ts';
import type { Evidence } from '../../diagnosis/evidence.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import type { Row } from '../../runs/row.ts';
import { evidenceOf, type LabState, useLab } from '../shell/lab/store.ts';
import { Tracks } from './curve.ts';
import { configKey, type ShownRun, useOverlaidRuns } from './overlaid-runs.ts';

/** A run's data for charts. */
export interface ChartRun extends Pick<ShownRun, 'id' | 'name' | 'seed' | 'markers' | 'exact'> {
  readonly rows: readonly Row[];
  readonly tracks: Tracks;
  /** Iterations at which settings were changed by hand. */
  readonly turned?: ShownRun['markers'];
}

/** Runs of one config that differ only in their seed. */
export interface RunGroup {
  readonly key: string;
  readonly name: string;
  /** A CSS color. */
  readonly color: string;
  readonly runs: readonly ChartRun[];
}

/** Data of the current run from which a chart derives its text, series and levels. */
export interface ChartEvidence extends Evidence {
  readonly rows: readonly Row[];
  readonly config: Config;
}

export interface ChartData {
  readonly evidence: ChartEvidence;
  /** The current run's group first; empty before the first run. */
  readonly groups: readonly RunGroup[];
}

/** Number of run colors in the style sheet; they repeat. */
export const RUN_COLORS = 8;

const tracksOf = new Map<string, Tracks>();
const rowsOf = new WeakMap<ShownRun['rows'], readonly Row[]>();
const rowOf = new WeakMap<MetricRow, Row>();

/** A row of an overlaid run, which has metrics but no details. */
function asRow(metrics: MetricRow, index: number): Row {
  let known = rowOf.get(metrics);
  if (known === undefined) {
    const iteration = metrics.iteration ?? index + 1;
    known = { iteration, metrics, details: { updates: [], staleness: [] }, milliseconds: 0 };
    rowOf.set(metrics, known);
  }
  return known;
}

/** Cached per array of metrics, so that rows keep their identity. */
function asRows(rows: ShownRun['rows']): readonly Row[] {
  let known = rowsOf.get(rows);
  if (known === undefined) {
    known = rows.map(asRow);
    rowsOf.set(rows, known);
  }
  return known;
}

function withTracks(run: Omit<ChartRun, 'tracks' | 'turned'>, config?: Config): ChartRun {
  let tracks = tracksOf.get(run.id);
  if (tracks === undefined) {
    tracks = new Tracks();
    tracksOf.set(run.id, tracks);
  }
  const turned = config === undefined ? [] : changesOf(config);
  return {
    ...run,
    tracks,
    turned: turned.map(({ iteration, path, value }) => ({
      iteration,
      text: `${fieldTitle(path)} ${value}`,
    })),
  };
}

/** The name of a group. Members with the same seed are repetitions of one run. */
function groupName(name: string, members: readonly Pick<ChartRun, 'seed'>[]): string {
  if (members.length === 1) return name;
  const seeds = new Set(members.map(({ seed }) => seed)).size;
  return seeds === 1
    ? `${name}, ${members.length} times`
    : `${name.replace(/, seed \d+$/, '')}, ${seeds} seeds`;
}

/** Groups runs by config, in the order in which the configs first appear. */
export function groupRuns(
  runs: readonly (ChartRun & Pick<ShownRun, 'configKey' | 'color'>)[],
): readonly RunGroup[] {
  const byKey = new Map<string, typeof runs>();
  for (const run of runs) byKey.set(run.configKey, [...(byKey.get(run.configKey) ?? []), run]);
  return [...byKey].map(([key, members], place) => {
    const name = members[0]?.name ?? '';
    return {
      key,
      name: groupName(name, members),
      color: members[0]?.color ?? `var(--p-run-${(place % RUN_COLORS) + 1})`,
      runs: members,
    };
  });
}

type Present = Pick<
  LabState,
  'runId' | 'name' | 'config' | 'rows' | 'markers' | 'evaluations' | 'machine' | 'trials'
>;

function gather(lab: Present, overlaid: readonly ShownRun[]): ChartData {
  const { runId, name, config, rows, markers, evaluations, machine, trials } = lab;
  const runs = overlaid
    .filter(({ id }) => id !== runId)
    .map((run) => ({ ...run, ...withTracks({ ...run, rows: asRows(run.rows) }) }));
  if (runId !== null) {
    const { seed } = config;
    const present = withTracks({ id: runId, name, seed, markers, rows }, config);
    runs.unshift({ ...present, configKey: configKey(config) });
  }
  const ids = new Set(runs.map(({ id }) => id));
  for (const id of tracksOf.keys()) if (!ids.has(id)) tracksOf.delete(id);
  return {
    evidence: { ...evidenceOf({ rows, evaluations, config, machine, trials }), rows, config },
    groups: groupRuns(runs),
  };
}

let gathered: { readonly key: readonly unknown[]; readonly data: ChartData } | null = null;

/** A snapshot of the stores; the same object while nothing changes. */
export function chartData(): ChartData {
  const lab = useLab.getState();
  const { overlaid, beside, predicted } = useOverlaidRuns.getState();
  const laid = [beside, predicted, ...overlaid].filter((run) => run !== null);
  const { runId, name, config, rows, markers, evaluations, machine, trials } = lab;
  const key = [
    runId,
    name,
    config,
    rows,
    markers,
    evaluations,
    machine,
    trials,
    overlaid,
    beside,
    predicted,
  ];
  if (gathered === null || key.some((part, index) => part !== gathered?.key[index])) {
    gathered = { key, data: gather(lab, laid) };
  }
  return gathered.data;
}

/** Charts waiting to be drawn, one per frame. */
const waiting = new Set<() => void>();

let scheduled = false;

function drawNext(): void {
  scheduled = false;
  const [next] = waiting;
  if (next === undefined) return;
  waiting.delete(next);
  // Components mounted by this drawing may join the queue.
  next();
  scheduleNext();
}

function scheduleNext(): void {
  if (scheduled || waiting.size === 0) return;
  scheduled = true;
  requestAnimationFrame(drawNext);
}

/** Schedules a drawing in its own frame. */
export function drawInTurn(draw: () => void): void {
  waiting.add(draw);
  scheduleNext();
}

/**
 * Minimum time between two drawings of a chart. A fast GPU finishes iterations more often than
 * that.
 */
const REDRAW_MS = 300;
/** Offscreen charts are still drawn for screen readers. */
const UNSEEN_MS = 3000;

/** A chart's data; lags slightly behind the run. */
export function useChartData(element: RefObject<HTMLElement | null>): ChartData {
  const [shown, setShown] = useState(chartData);
  useEffect(() => {
    let seen = typeof IntersectionObserver === 'undefined';
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = Number.NEGATIVE_INFINITY;
    const draw = () => {
      last = performance.now();
      // An error during rendering is caught by the chart's error boundary; here it would stop all
      // charts.
      setShown(() => chartData());
    };
    const ask = () => {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          drawInTurn(draw);
        },
        Math.max(0, last + (seen ? REDRAW_MS : UNSEEN_MS) - performance.now()),
      );
    };
    ask();
    const leave = [useLab.subscribe(ask), useOverlaidRuns.subscribe(ask)];
    const observer =
      typeof IntersectionObserver === 'undefined'
        ? null
        : new IntersectionObserver(
            (entries) => {
              seen = entries.at(-1)?.isIntersecting ?? false;
              clearTimeout(timer);
              timer = undefined;
              ask();
            },
            // Draws shortly before the chart scrolls into view, so that no outdated curve is
            // visible.
            { rootMargin: '240px' },
          );
    if (element.current !== null) observer?.observe(element.current);
    return () => {
      clearTimeout(timer);
      waiting.delete(draw);
      observer?.disconnect();
      for (const stop of leave) stop();
    };
  }, [element]);
  return shown;
}
