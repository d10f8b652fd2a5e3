/** Raw data read from the files of one run. */

import { foreignLimits } from '../../files/log-limits.ts';
import { LogError, shown } from './error.ts';

/** Measurements under one name, as logged. */
export interface Points {
  /** Has as many numbers as `y`. */
  readonly x: Float64Array;
  readonly y: Float64Array;
}

class Growing {
  x = new Float64Array(16);
  y = new Float64Array(16);
  length = 0;
  sorted = true;
  /** Index of the part of the log that contains the newest measurement. */
  part = 0;

  add(x: number, y: number): void {
    if (this.length === this.x.length) {
      const size = 2 * this.length;
      this.x = grown(this.x, size);
      this.y = grown(this.y, size);
    }
    if (this.length > 0 && x < (this.x[this.length - 1] ?? x)) this.sorted = false;
    this.x[this.length] = x;
    this.y[this.length] = y;
    this.length++;
  }

  /** Drops the newest measurement if it is at this step. Returns the number dropped. */
  dropLast(step: number): number {
    if (this.length === 0 || this.x[this.length - 1] !== step) return 0;
    this.length--;
    return 1;
  }

  /** Drops measurements at or beyond a step. Returns their number. */
  cut(from: number): number {
    let kept = 0;
    for (let i = 0; i < this.length; i++) {
      if ((this.x[i] ?? 0) >= from) continue;
      this.x[kept] = this.x[i] ?? 0;
      this.y[kept] = this.y[i] ?? 0;
      kept++;
    }
    const gone = this.length - kept;
    this.length = kept;
    return gone;
  }

  /** By ascending step; equal steps keep their order. */
  points(): Points {
    const x = this.x.slice(0, this.length);
    const y = this.y.slice(0, this.length);
    if (this.sorted) return { x, y };
    const order = Uint32Array.from(x, (_, i) => i).sort((a, b) => at(x, a) - at(x, b) || a - b);
    return {
      x: Float64Array.from(order, (i) => at(x, i)),
      y: Float64Array.from(order, (i) => at(y, i)),
    };
  }
}

const at = (values: Float64Array, index: number) => values[index] ?? Number.NaN;

const grown = (array: Float64Array, size: number) => {
  const larger = new Float64Array(size);
  larger.set(array);
  return larger;
};

/** A setting of the run as logged. */
export type Setting = string | number | boolean;

/** Measurements by name, and other information on the run. */
export class Gathered {
  readonly #series = new Map<string, Growing>();
  readonly settings = new Map<string, Setting>();
  /** Notes on what was left out, replaced or counted, one sentence each. */
  readonly notes: string[] = [];
  #points = 0;
  #part = 0;

  get size(): number {
    return this.#series.size;
  }

  /** @throws {LogError} above the limits for one run */
  add(key: string, x: number, y: number): void {
    let series = this.#series.get(key);
    if (series === undefined) {
      if (key.length > foreignLimits.key) {
        throw new LogError(`has a metric name with ${key.length} characters: ${shown(key)}`);
      }
      if (this.#series.size === foreignLimits.series) {
        throw new LogError(`has more than ${foreignLimits.series} different metric names`);
      }
      series = new Growing();
      series.part = this.#part;
      this.#series.set(key, series);
    }
    if (series.part !== this.#part) {
      series.part = this.#part;
      this.#points -= series.cut(x);
    }
    if (++this.#points > foreignLimits.points) {
      throw new LogError(`has more than ${foreignLimits.points} measurements`);
    }
    series.add(x, y);
  }

  /** Like `add`, but replaces the newest measurement of the series if it is at the same step. */
  replace(key: string, x: number, y: number): void {
    this.#points -= this.#series.get(key)?.dropLast(x) ?? 0;
    this.add(key, x, y);
  }

  /**
   * A later file continues the run: in each series it replaces everything from its first step on.
   */
  beginPart(): void {
    this.#part++;
  }

  /** The run was rolled back to a step: earlier measurements at or beyond it are dropped. */
  rewind(x: number): void {
    for (const series of this.#series.values()) this.#points -= series.cut(x);
  }

  set(name: string, value: unknown): void {
    const known = this.settings.has(name) || this.settings.size < foreignLimits.settings;
    if (!known || name.length > foreignLimits.key) return;
    if (typeof value === 'number' || typeof value === 'boolean') this.settings.set(name, value);
    else if (typeof value === 'string') {
      this.settings.set(name, value.slice(0, foreignLimits.setting));
    }
  }

  /** Sets every string, number and boolean within a value, by path; skips lists. */
  setAll(value: unknown, prefix = '', depth = 0): void {
    if (depth > 12 || this.settings.size >= foreignLimits.settings) return;
    if (typeof value !== 'object' || value === null) this.set(prefix, value);
    else if (!Array.isArray(value)) {
      for (const [key, one] of Object.entries(value)) {
        this.setAll(one, prefix === '' ? key : `${prefix}.${key}`, depth + 1);
      }
    }
  }

  note(sentence: string): void {
    if (this.notes.length < 20 && !this.notes.includes(sentence)) this.notes.push(sentence);
  }

  /** Every series by name, sorted by step. */
  points(): Map<string, Points> {
    return new Map([...this.#series].map(([key, series]) => [key, series.points()]));
  }
}
