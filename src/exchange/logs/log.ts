/** A run read from a log: all its series, and rows of registered metrics for the diagnosis. */

import type { Evidence, EvidenceRow } from '../../diagnosis/evidence.ts';
import { foreignLimits } from '../../files/log-limits.ts';
import { isMetricKey, type MetricKey } from '../../runs/metrics.ts';
import { axisOf, chooseAxis, type LogAxis, over, unitOf } from './axis.ts';
import {
  type LogTool,
  type Mapping,
  mappings,
  prefixes,
  steps,
  toolOf,
  traps,
} from './counterparts.ts';
import { factsOf } from './facts.ts';
import type { Gathered, Points, Setting } from './gathered.ts';

/** Measurements of a log under one of its names. */
export interface LogSeries extends Points {
  readonly key: string;
  /** The matching metric of the registry, if any. */
  readonly metric: MetricKey | null;
  /** How it differs from that metric as Palestra logs it. */
  readonly differs: string | null;
}

export interface RunLog {
  /** In a file with several runs: `named` if the file names them, else for example `run 2 of 3`. */
  readonly part?: string;
  /** Name of the run: its folder or file. */
  readonly name: string;
  readonly tool: LogTool;
  /** The source, such as `TensorBoard event files`. */
  readonly format: string;
  readonly axis: LogAxis;
  readonly series: readonly LogSeries[];
  /** Position of each evidence row on the axis. */
  readonly places: Float64Array;
  readonly evidence: Evidence;
  readonly settings: ReadonlyMap<string, Setting>;
  /** Name of the pretrained model whose adapter a run of Palestra trained. */
  readonly model?: string;
  /** What was left out or assumed, one sentence each. */
  readonly notes: readonly string[];
}

/** The user's assignment of a table's columns. */
export interface ColumnChoice {
  /** The x column; null uses the row number. */
  readonly x: string | null;
  /** Metrics by column. */
  readonly metrics: Readonly<Record<string, MetricKey>>;
}

interface Assembly {
  readonly name: string;
  readonly format: string;
  readonly gathered: Gathered;
  /** Whether its measurements are in rows and one of its columns is the x axis. */
  readonly table: boolean;
  /** Name of the log's step, if its file states it. */
  readonly unit?: string;
  readonly choice?: ColumnChoice;
}

/** Builds a run from what was read. */
export function assemble({ name, format, gathered, table, unit, choice }: Assembly): RunLog {
  const notes = [...gathered.notes];
  let series: ReadonlyMap<string, Points> = gathered.points();
  const tool = toolOf(series.keys());
  let axis = axisOf(null, unit ?? (table ? 'rows' : steps[tool]));
  const key = choice === undefined ? axisKey(series, table) : choice.x;
  if (key !== null) {
    const placed = over(series, key);
    series = placed.series;
    axis = axisOf(key, unitOf(key, tool));
    if (placed.lost > 0) {
      notes.push(`Measurements logged without ${key}, the x axis, are left out (${placed.lost}).`);
    }
  }
  const all = mapped(series, tool, choice);
  const trap = traps[tool];
  if (trap !== undefined) notes.push(trap);
  const { rows, places, evaluations, taken } = rowsOf(all, axis);
  notes.push(...taken);
  const facts = factsOf(tool, gathered.settings);
  return {
    ...{ name, tool, format, axis, series: all, places, notes, settings: gathered.settings },
    evidence: { rows, evaluations, facts },
  };
}

/**
 * The series that serves as the x axis of a table: a logged step if there is one, rather than the tracker's
 * call count.
 */
function axisKey(series: ReadonlyMap<string, Points>, table: boolean): string | null {
  if (!table) return null;
  let rows = 0;
  for (const { x } of series.values()) rows = Math.max(rows, x.length);
  return chooseAxis(series, rows);
}

/** Every series with its metric. */
function mapped(
  series: ReadonlyMap<string, Points>,
  tool: LogTool,
  choice: ColumnChoice | undefined,
): readonly LogSeries[] {
  const found = new Map<string, Mapping[]>();
  if (choice !== undefined) {
    for (const [key, metric] of Object.entries(choice.metrics))
      found.set(key, [{ keys: [key], metric }]);
  } else {
    for (const mapping of mappings[tool]) {
      const key = keyOf(mapping, series, tool);
      if (key !== null) found.set(key, [...(found.get(key) ?? []), mapping]);
    }
  }
  const claimed = new Set<MetricKey>();
  return [...series].flatMap(([key, points]): LogSeries[] => {
    const here = (found.get(key) ?? []).filter(({ metric }) => !claimed.has(metric));
    if (here.length === 0) return [{ key, ...points, metric: null, differs: null }];
    return here.map(({ metric, value, differs = null, perEpisode }): LogSeries => {
      claimed.add(metric);
      const y = value === undefined ? points.y : points.y.map(value);
      if (perEpisode) episodic.add(y);
      return { key, x: points.x, y, metric, differs };
    });
  });
}

/** Values of series with one point per episode. */
const episodic = new WeakSet<Float64Array>();

/**
 * The series that a mapping refers to; null if there is none, or several sources that cannot be
 * combined.
 */
function keyOf(
  mapping: Mapping,
  series: ReadonlyMap<string, Points>,
  tool: LogTool,
): string | null {
  for (const wanted of mapping.keys) {
    if (typeof wanted !== 'string') {
      const all = [...series.keys()].filter((key) => wanted.test(key));
      if (all.length === 1) return all[0] ?? null;
      continue;
    }
    for (const prefix of ['', ...(prefixes[tool] ?? [])]) {
      if (series.has(prefix + wanted)) return prefix + wanted;
      // CSV exports often replace slashes with underscores.
      const underscored = prefix + wanted.replaceAll('/', '_');
      if (series.has(underscored)) return underscored;
    }
  }
  return null;
}

interface Rows {
  readonly rows: readonly EvidenceRow[];
  readonly evaluations: readonly EvidenceRow[];
  readonly places: Float64Array;
  readonly taken: readonly string[];
}

const isEvaluation = ({ metric }: LogSeries) => metric?.startsWith('eval/') === true;

/** One row per step with a measurement; in long logs, one per group of steps. */
function rowsOf(all: readonly LogSeries[], axis: LogAxis): Rows {
  const taken: string[] = [];
  const measured = all.filter((one) => one.metric !== null && !isEvaluation(one));
  const whole = grid(measured);
  const group = Math.ceil(whole.length / foreignLimits.rows);
  const places =
    group <= 1 ? whole : whole.filter((_, i) => i % group === group - 1 || i === whole.length - 1);
  if (group > 1)
    taken.push(`For the diagnosis, every ${group} rows of the log are combined into one.`);
  const counted = axis.unit.endsWith('steps') && axis.unit !== 'environment steps';
  const own = (axis.iterations || counted) && places.every((x) => Number.isInteger(x) && x >= 1);
  const iterations = own ? places : places.map((_, i) => i + 1);
  const metrics = Array.from(
    places,
    (x, i): Record<string, number> => ({
      iteration: iterations[i] ?? x,
      ...(axis.unit === 'environment steps' ? { 'progress/turns': x } : {}),
    }),
  );
  for (const series of measured) fill(series, places, metrics);
  taken.push(...takeSuccess(all, places, metrics));
  const rows = metrics.map((row): EvidenceRow => ({ iteration: row.iteration ?? 0, metrics: row }));
  return { rows, places, evaluations: evaluationsOf(all, places, iterations), taken };
}

/** Steps of the metrics logged once per update, or of per-episode metrics if there are no others. */
function grid(measured: readonly LogSeries[]): Float64Array {
  const updates = measured.filter(({ y }) => !episodic.has(y));
  const places = new Set<number>();
  for (const { x } of updates.length > 0 ? updates : measured) for (const at of x) places.add(at);
  return Float64Array.from(places).sort();
}

/** A row has the mean of the measurements since the previous row; NaN stays NaN. */
function fill(
  { metric, x, y }: LogSeries,
  places: Float64Array,
  into: Record<string, number>[],
): void {
  if (metric === null) return;
  let at = 0;
  for (let row = 0; row < places.length; row++) {
    const place = places[row] ?? 0;
    let sum = 0;
    let count = 0;
    for (; at < x.length && (x[at] ?? 0) <= place; at++) {
      sum += y[at] ?? Number.NaN;
      count++;
    }
    const target = into[row];
    if (count > 0 && target !== undefined) target[metric] = sum / count;
  }
}

/** If every reward was 0 or 1, their mean is the success rate. */
function takeSuccess(
  all: readonly LogSeries[],
  places: Float64Array,
  into: Record<string, number>[],
): readonly string[] {
  if (all.some(({ metric }) => metric === 'rollout/success_rate')) return [];
  const score = all.find(({ metric }) => metric === 'rollout/score');
  if (score === undefined || !score.key.endsWith('/mean')) return [];
  const ends = ['min', 'max'].map((end) => score.key.replace(/mean$/, end));
  const extremes = ends.map((key) => all.find((one) => one.key === key));
  const binary = extremes.every(
    (one) => one?.y.every((value) => value === 0 || value === 1) === true,
  );
  if (!binary || !score.y.every((value) => value >= 0 && value <= 1)) return [];
  fill({ ...score, metric: 'rollout/success_rate' }, places, into);
  return [`${ends.join(' and ')} are always 0 or 1, so ${score.key} is used as the success rate.`];
}

/** Evaluation metrics, assigned to the iteration of the last row before them. */
function evaluationsOf(
  all: readonly LogSeries[],
  places: Float64Array,
  iterations: Float64Array,
): readonly EvidenceRow[] {
  const byPlace = new Map<number, Record<string, number>>();
  for (const { metric, x, y } of all.filter(isEvaluation)) {
    if (metric === null || !isMetricKey(metric)) continue;
    let row = 0;
    for (let i = 0; i < x.length; i++) {
      while (row + 1 < places.length && (places[row + 1] ?? 0) <= (x[i] ?? 0)) row++;
      const iteration =
        (places[row] ?? Number.POSITIVE_INFINITY) <= (x[i] ?? 0) ? (iterations[row] ?? 0) : 0;
      const known = byPlace.get(iteration) ?? { iteration };
      known[metric] = y[i] ?? Number.NaN;
      byPlace.set(iteration, known);
    }
  }
  return [...byPlace]
    .sort(([a], [b]) => a - b)
    .map(([iteration, metrics]) => ({ iteration, metrics }));
}
