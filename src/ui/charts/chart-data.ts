/** What the charts draw and explain: the present run and those laid over it, a chart a frame. */

import { type RefObject, useEffect, useState } from 'react';
import { changesOf } from '../../config/changes.ts';
import type { Config } from '../../config/schema.ts';
import type { Evidence } from '../../diagnosis/evidence.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import type { Row } from '../../runs/row.ts';
import { evidenceOf, type LabState, useLab } from '../lab/store.ts';
import { configKey, type ShownRun, useOverlaidRuns } from '../runs/runs-store.ts';
import { Tracks } from './curve.ts';

/** A run as charts read it. */
export interface ChartRun extends Pick<ShownRun, 'id' | 'name' | 'seed' | 'markers'> {
  readonly rows: readonly Row[];
  readonly tracks: Tracks;
  /** Iterations from which on settings were changed by hand. */
  readonly turned?: ShownRun['markers'];
}

/** The runs of one config, which differ in their seed only. */
export interface RunGroup {
  readonly key: string;
  readonly name: string;
  /** A CSS colour. */
  readonly colour: string;
  readonly runs: readonly ChartRun[];
}

/** What a chart's text, series and levels come from. */
export interface ChartEvidence extends Evidence {
  readonly rows: readonly Row[];
  readonly config: Config;
}

export interface ChartData {
  readonly evidence: ChartEvidence;
  /** The present run's first; empty before the first run. */
  readonly groups: readonly RunGroup[];
}

/** Colours of runs in the style sheet; they come round again. */
export const RUN_COLOURS = 8;

const tracksOf = new Map<string, Tracks>();
const rowsOf = new WeakMap<ShownRun['rows'], readonly Row[]>();
const rowOf = new WeakMap<MetricRow, Row>();

/** A run that is laid over another has metrics alone. */
function asRow(metrics: MetricRow, index: number): Row {
  let known = rowOf.get(metrics);
  if (known === undefined) {
    const iteration = metrics.iteration ?? index + 1;
    known = { iteration, metrics, details: { updates: [], staleness: [] }, milliseconds: 0 };
    rowOf.set(metrics, known);
  }
  return known;
}

/** The same rows as long as they are; of a run that trains, those that were there before. */
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
    turned: turned.map(({ iteration, path, value }) => ({ iteration, text: `${path} = ${value}` })),
  };
}

/** Runs of one config and one seed are the same run several times. */
function groupName(name: string, members: readonly Pick<ChartRun, 'seed'>[]): string {
  if (members.length === 1) return name;
  const seeds = new Set(members.map(({ seed }) => seed)).size;
  return seeds === 1
    ? `${name}, ${members.length} times`
    : `${name.replace(/, seed \d+$/, '')}, ${seeds} seeds`;
}

/** Groups runs by config, in the order in which the configs come up first. */
export function groupRuns(
  runs: readonly (ChartRun & Pick<ShownRun, 'configKey' | 'colour'>)[],
): readonly RunGroup[] {
  const byKey = new Map<string, typeof runs>();
  for (const run of runs) byKey.set(run.configKey, [...(byKey.get(run.configKey) ?? []), run]);
  return [...byKey].map(([key, members], place) => {
    const name = members[0]?.name ?? '';
    return {
      key,
      name: groupName(name, members),
      colour: members[0]?.colour ?? `var(--p-run-${(place % RUN_COLOURS) + 1})`,
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

/** The present state of the stores; the same object as long as nothing has changed. */
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

/** Charts that wait for their turn; one is drawn in each frame, so that no frame draws them all. */
const waiting = new Set<() => void>();

function drawNext(): void {
  const [next] = waiting;
  if (next === undefined) return;
  waiting.delete(next);
  next();
  if (waiting.size > 0) requestAnimationFrame(drawNext);
}

/** Has something drawn in a frame of its own. */
export function drawInTurn(draw: () => void): void {
  if (waiting.size === 0) requestAnimationFrame(drawNext);
  waiting.add(draw);
}

/** A chart is drawn anew at most this often; a fast GPU finishes iterations sooner. */
const REDRAW_MS = 300;
/** Out of sight it is drawn for those who read a page without seeing it. */
const UNSEEN_MS = 3000;

/** What a chart shows, a little behind the run. */
export function useChartData(element: RefObject<HTMLElement | null>): ChartData {
  const [shown, setShown] = useState(chartData);
  useEffect(() => {
    let seen = typeof IntersectionObserver === 'undefined';
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = Number.NEGATIVE_INFINITY;
    const draw = () => {
      last = performance.now();
      // Within rendering, where what fails is told in the chart's place; here it would stop all others.
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
            // A little before it comes into sight, so that no old curve is seen.
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
