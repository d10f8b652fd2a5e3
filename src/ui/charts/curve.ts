import type { Row } from '../../runs/row.ts';
/** A run's metrics as typed arrays, updated row by row while it trains. */

/** Points of one line, by ascending x. Only the first `length` entries of each array are valid. */
export interface Curve {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Bounds of a band around it, if any. */
  readonly low: Float64Array | null;
  readonly high: Float64Array | null;
  /** Number of runs behind each point, if several were folded into one. */
  readonly count: Uint16Array | null;
  readonly length: number;
  /** Incremented whenever a point changes. */
  readonly version: number;
}

/** First index with x above `at`. */
export function indexAfter({ x, length }: Pick<Curve, 'x' | 'length'>, at: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First index with x at or above `at`. */
export function indexFrom({ x, length }: Pick<Curve, 'x' | 'length'>, at: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of rows at the end that may still be replaced, when their evaluation arrives. */
const LOOK_BACK = 8;

/** Index of the first row that is not the same object as before. */
export function firstChange(before: readonly Row[], now: readonly Row[]): number {
  const common = Math.min(before.length, now.length);
  if (before[0] !== now[0]) return 0;
  let change = common;
  for (let index = common - 1; index >= 0; index--) {
    if (before[index] !== now[index]) change = index;
    else if (index < common - LOOK_BACK) break;
  }
  return change;
}

/**
 * Exponential moving average with bias correction, as in dashboards (Adam's correction, Kingma and
 * Ba 2015): sᵢ = Σⱼ wⁱ⁻ʲ yⱼ / Σⱼ wⁱ⁻ʲ over j ≤ i.
 *
 * @param y values, finite
 * @param out receives sᵢ; entries before `from` must belong to the same `y` and weight
 * @param weight w in [0, 1) of the previous average
 */
export function smooth(
  y: Float64Array,
  out: Float64Array,
  from: number,
  to: number,
  weight: number,
): void {
  // Σ wⁱ⁻ʲ = (1 − wⁱ⁺¹) / (1 − w), so the state before `from` follows from the average there.
  let norm = weight === 0 ? 1 : (1 - weight ** from) / (1 - weight);
  let sum = from === 0 ? 0 : (out[from - 1] ?? 0) * norm;
  if (from === 0) norm = 0;
  for (let index = from; index < to; index++) {
    sum = weight * sum + (y[index] ?? 0);
    norm = weight * norm + 1;
    out[index] = sum / norm;
  }
}

type Read = (row: Row) => number | undefined;
type ReadBand = (row: Row) => readonly [min: number, max: number] | undefined;

const grown = (array: Float64Array, size: number) => {
  const larger = new Float64Array(size);
  larger.set(array);
  return larger;
};

/** One metric of a run over one x axis; rows that lack either are left out. */
export class Track implements Curve {
  readonly #abscissa: Read;
  readonly #read: Read;
  readonly #band: ReadBand | undefined;
  #rows: readonly Row[] = [];
  /** The row of each point. */
  #row = new Float64Array(64);
  #smoothed: { weight: number; curve: Curve } | null = null;
  x = new Float64Array(64);
  y = new Float64Array(64);
  low: Float64Array | null = null;
  high: Float64Array | null = null;
  readonly count = null;
  length = 0;
  version = 0;

  constructor(abscissa: Read, read: Read, band?: ReadBand) {
    this.#abscissa = abscissa;
    this.#read = read;
    this.#band = band;
    if (band !== undefined) {
      this.low = new Float64Array(64);
      this.high = new Float64Array(64);
    }
  }

  /** Applies changes; unchanged rows are not read again. */
  follow(rows: readonly Row[]): this {
    if (rows === this.#rows) return this;
    const from = firstChange(this.#rows, rows);
    this.length = indexFrom({ x: this.#row, length: this.length }, from);
    for (let index = from; index < rows.length; index++) {
      const row = rows[index];
      if (row !== undefined) this.#add(row, index);
    }
    this.#rows = rows;
    this.version += 1;
    if (this.#smoothed !== null) {
      const { weight, curve } = this.#smoothed;
      this.#smoothed = { weight, curve: this.#smooth(weight, curve.y, this.length, from) };
    }
    return this;
  }

  #add(row: Row, index: number): void {
    const x = this.#abscissa(row);
    const y = this.#read(row);
    if (x === undefined || y === undefined || !Number.isFinite(x) || !Number.isFinite(y)) return;
    // The curve must not run backwards, even if the clock was set back.
    const before = this.length === 0 ? x : (this.x[this.length - 1] ?? x);
    if (this.length === this.x.length) this.#grow();
    this.x[this.length] = Math.max(before, x);
    this.y[this.length] = y;
    this.#row[this.length] = index;
    if (this.low !== null && this.high !== null) {
      const [least, most] = this.#band?.(row) ?? [y, y];
      this.low[this.length] = least;
      this.high[this.length] = most;
    }
    this.length += 1;
  }

  #grow(): void {
    const size = 2 * this.x.length;
    this.x = grown(this.x, size);
    this.y = grown(this.y, size);
    this.#row = grown(this.#row, size);
    if (this.low !== null) this.low = grown(this.low, size);
    if (this.high !== null) this.high = grown(this.high, size);
  }

  /** The same points with smoothed values; the band is unchanged. */
  smoothed(weight: number): Curve {
    if (weight === 0) return this;
    if (this.#smoothed?.weight !== weight) {
      this.#smoothed = { weight, curve: this.#smooth(weight, null, this.length, 0) };
    }
    return this.#smoothed.curve;
  }

  #smooth(weight: number, before: Float64Array | null, length: number, fromRow: number): Curve {
    const from = before === null ? 0 : indexFrom({ x: this.#row, length: this.length }, fromRow);
    let y = before ?? new Float64Array(this.x.length);
    if (y.length < this.x.length) y = grown(y, this.x.length);
    smooth(this.y, y, from, length, weight);
    const { x, low, high, count, version } = this;
    return { x, y, low, high, count, length, version };
  }
}

/**
 * Tracks by the functions that read them; garbage-collected with these functions or with the owner.
 */
export class Tracks {
  #byAbscissa = new WeakMap<Read, WeakMap<Read, Track>>();

  get(abscissa: Read, read: Read, band?: ReadBand): Track {
    let byRead = this.#byAbscissa.get(abscissa);
    if (byRead === undefined) {
      byRead = new WeakMap();
      this.#byAbscissa.set(abscissa, byRead);
    }
    let track = byRead.get(read);
    if (track === undefined) {
      track = new Track(abscissa, read, band);
      byRead.set(read, track);
    }
    return track;
  }
}
