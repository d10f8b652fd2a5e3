/** A run's numbers by column, and what could be known of them in each of its iterations. */

import type { MetricKey } from '../runs/metrics.ts';
import type { Evidence, Facts } from './evidence.ts';
import { WINDOW } from './trend.ts';

/** The rows as columns; what a row lacks is NaN. */
export class History {
  readonly length: number;
  readonly facts: Facts;
  readonly vocabulary: number | undefined;
  private readonly rows: Evidence['rows'];
  private readonly evaluated: ReadonlyMap<number, Evidence['evaluations'][number]>;
  private readonly columns = new Map<MetricKey, Float64Array>();
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
        ({ iteration, metrics }) =>
          metrics[key] ?? this.evaluated.get(iteration)?.metrics[key] ?? Number.NaN,
      );
      this.columns.set(key, column);
    }
    return column;
  }

  /** Whether any row has the metric. */
  has(key: MetricKey): boolean {
    return this.rows.some(({ metrics }) => metrics[key] !== undefined);
  }

  /** The highest mean of `WINDOW` values up to each row. */
  peak(key: MetricKey): Float64Array {
    let peaks = this.peaks.get(key);
    if (peaks === undefined) {
      const column = this.column(key);
      peaks = new Float64Array(column.length);
      let highest = Number.NEGATIVE_INFINITY;
      let sum = 0;
      let count = 0;
      for (let at = 0; at < column.length; at++) {
        const [value = Number.NaN, left = Number.NaN] = [column[at], column[at - WINDOW]];
        if (Number.isFinite(value)) [sum, count] = [sum + value, count + 1];
        if (Number.isFinite(left)) [sum, count] = [sum - left, count - 1];
        if (count === WINDOW) highest = Math.max(highest, sum / count);
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

/** A run as it stood after one of its iterations: nothing later can be read from it. */
export class Moment {
  readonly history: History;
  readonly index: number;

  constructor(history: History, index: number) {
    this.history = history;
    this.index = index;
  }

  get facts(): Facts {
    return this.history.facts;
  }

  get iteration(): number {
    return this.history.iteration(this.index);
  }

  /** Of this iteration, or of one that many before it; NaN where it was not measured. */
  now(key: MetricKey, ago = 0): number {
    return this.history.column(key)[this.index - ago] ?? Number.NaN;
  }

  /** The first value of the run. */
  first(key: MetricKey): number {
    return this.history.column(key)[0] ?? Number.NaN;
  }

  /** The newest value that was measured, as evaluations are only now and then. */
  newest(key: MetricKey): number {
    const column = this.history.column(key);
    for (let at = this.index; at >= 0; at--) {
      const value = column[at] ?? Number.NaN;
      if (Number.isFinite(value)) return value;
    }
    return Number.NaN;
  }

  /** What was measured in the last `window` iterations. */
  lately(key: MetricKey, window = WINDOW): readonly number[] {
    const column = this.history.column(key);
    return [...column.subarray(Math.max(0, this.index - window + 1), this.index + 1)].filter(
      Number.isFinite,
    );
  }

  /** Mean over the last `window` iterations; NaN where none was measured. */
  mean(key: MetricKey, window = WINDOW): number {
    const values = this.lately(key, window);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  }

  /** The highest mean over five iterations so far; −∞ before there are five. */
  peak(key: MetricKey): number {
    return this.history.peak(key)[this.index] ?? Number.NEGATIVE_INFINITY;
  }

  /** All that was measured so far, one value for each row, NaN among them. */
  all(key: MetricKey): readonly number[] {
    return [...this.history.column(key).subarray(0, this.index + 1)];
  }
}
