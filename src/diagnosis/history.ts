/** A run's numbers as columns, and what was known after each iteration. */

import { configAt } from '../config/changes.ts';
import { FIRST_CLIP, firstClipFraction } from '../runs/first-clip.ts';
import type { MetricKey } from '../runs/metrics.ts';
import type { Evidence, Facts } from './evidence.ts';
import { WINDOW } from './trend.ts';

/** Prefix sums of the values before each row: a mean is then two subtractions. */
interface Totals {
  readonly sums: Float64Array;
  readonly counts: Float64Array;
}

/** The values of an iteration: its metrics, and those of its updates. */
function measured({ metrics, details }: Evidence['rows'][number], key: MetricKey) {
  if (key !== FIRST_CLIP) return metrics[key];
  return metrics[key] ?? firstClipFraction(details?.updates);
}

/** The rows as columns; missing values are NaN. */
export class History {
  readonly length: number;
  readonly facts: Facts;
  readonly vocabulary: number | undefined;
  private readonly rows: Evidence['rows'];
  private readonly evaluated: ReadonlyMap<number, Evidence['evaluations'][number]>;
  private readonly columns = new Map<MetricKey, Float64Array>();
  private readonly totals = new Map<MetricKey, Totals>();
  private readonly peaks = new Map<MetricKey, Float64Array>();

  constructor({ rows, evaluations, facts, vocabulary }: Evidence) {
    this.rows = rows;
    this.length = rows.length;
    this.facts = facts;
    this.vocabulary = vocabulary;
    this.evaluated = new Map(evaluations.map((one) => [one.iteration, one]));
  }

  iteration(index: number): number {
    return this.rows[index]?.iteration ?? Number.NaN;
  }

  column(key: MetricKey): Float64Array {
    let column = this.columns.get(key);
    if (column === undefined) {
      column = Float64Array.from(
        this.rows,
        (row) =>
          measured(row, key) ?? this.evaluated.get(row.iteration)?.metrics[key] ?? Number.NaN,
      );
      this.columns.set(key, column);
    }
    return column;
  }

  /** Whether any row has the metric. */
  has(key: MetricKey): boolean {
    return this.rows.some((row) => measured(row, key) !== undefined);
  }

  private totalsOf(key: MetricKey): Totals {
    let totals = this.totals.get(key);
    if (totals === undefined) {
      const column = this.column(key);
      totals = {
        sums: new Float64Array(column.length + 1),
        counts: new Float64Array(column.length + 1),
      };
      for (let at = 0; at < column.length; at++) {
        const value = column[at] ?? Number.NaN;
        const measured = Number.isFinite(value);
        totals.sums[at + 1] = (totals.sums[at] ?? 0) + (measured ? value : 0);
        totals.counts[at + 1] = (totals.counts[at] ?? 0) + (measured ? 1 : 0);
      }
      this.totals.set(key, totals);
    }
    return totals;
  }

  /** Mean of the values in `window` rows, the last of them at `index`; NaN if there are none. */
  mean(key: MetricKey, index: number, window: number): number {
    if (index < 0) return Number.NaN;
    const { sums, counts } = this.totalsOf(key);
    const from = Math.max(0, index - window + 1);
    const between = (of: Float64Array) => (of[index + 1] ?? 0) - (of[from] ?? 0);
    const count = between(counts);
    return count === 0 ? Number.NaN : between(sums) / count;
  }

  /** The highest mean of `WINDOW` consecutive values, up to each row. */
  peak(key: MetricKey): Float64Array {
    let peaks = this.peaks.get(key);
    if (peaks === undefined) {
      const { counts } = this.totalsOf(key);
      peaks = new Float64Array(this.length);
      let highest = Number.NEGATIVE_INFINITY;
      for (let at = 0; at < this.length; at++) {
        const measured = (counts[at + 1] ?? 0) - (counts[at + 1 - WINDOW] ?? 0);
        if (at + 1 >= WINDOW && measured === WINDOW) {
          highest = Math.max(highest, this.mean(key, at, WINDOW));
        }
        peaks[at] = highest;
      }
      this.peaks.set(key, peaks);
    }
    return peaks;
  }

  at(index: number): Moment {
    return new Moment(this, index);
  }
}

/** A run as of one of its iterations; later rows are not accessible. */
export class Moment {
  readonly history: History;
  readonly index: number;

  constructor(history: History, index: number) {
    this.history = history;
    this.index = index;
  }

  /** Includes the settings in effect in this iteration. */
  get facts(): Facts {
    return configAt(this.history.facts, this.iteration);
  }

  get iteration(): number {
    return this.history.iteration(this.index);
  }

  /** The value in this iteration, or `ago` iterations earlier; NaN if missing. */
  now(key: MetricKey, ago = 0): number {
    return this.history.column(key)[this.index - ago] ?? Number.NaN;
  }

  /** The first finite value of the run; partial rollouts may finish no episode at first. */
  first(key: MetricKey): number {
    const column = this.history.column(key).subarray(0, this.index + 1);
    return column.find(Number.isFinite) ?? Number.NaN;
  }

  /** The newest finite value up to this iteration; evaluations do not run in every iteration. */
  newest(key: MetricKey): number {
    const column = this.history.column(key);
    for (let at = this.index; at >= 0; at--) {
      const value = column[at] ?? Number.NaN;
      if (Number.isFinite(value)) return value;
    }
    return Number.NaN;
  }

  /** The finite values of the last `window` iterations. */
  lately(key: MetricKey, window = WINDOW): readonly number[] {
    const column = this.history.column(key);
    return [...column.subarray(Math.max(0, this.index - window + 1), this.index + 1)].filter(
      Number.isFinite,
    );
  }

  /** Mean over `window` iterations up to this one, or up to an earlier one; NaN if there are no values. */
  mean(key: MetricKey, window = WINDOW, ago = 0): number {
    return this.history.mean(key, this.index - ago, window);
  }

  /** The highest mean over five iterations so far; −∞ before there are five. */
  peak(key: MetricKey): number {
    return this.history.peak(key)[this.index] ?? Number.NEGATIVE_INFINITY;
  }

  /** All values so far, one for each row, including NaN. */
  all(key: MetricKey): readonly number[] {
    return [...this.history.column(key).subarray(0, this.index + 1)];
  }
}
