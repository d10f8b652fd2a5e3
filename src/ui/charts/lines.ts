/** Converts runs and series to the paths that a chart draws. */

import type { RunGroup } from './chart-data.ts';
import { type Curve, indexAfter, indexFrom } from './curve.ts';
import { decimate } from './decimate.ts';
import { foldSeeds } from './fold.ts';
import {
  FAR,
  type Place,
  pathThrough,
  type Scale,
  type ScaleKind,
  shareOf,
  tenth,
} from './scale.ts';
import type { Mark, Series } from './series.ts';
import { type AxisName, xAxes } from './x-axis.ts';

/** One series of one config. */
export interface Line {
  readonly key: string;
  readonly series: Series;
  readonly group: RunGroup;
  readonly mark: Mark;
  readonly color: string;
  /** Its dash pattern; null for a solid line. */
  readonly dash: string | null;
  /** The displayed curve: smoothed, and averaged over seeds. */
  readonly curve: Curve;
  /** The raw values, if the curve is smoothed and belongs to one run. */
  readonly raw: Curve | null;
  /** Number of seeds. */
  readonly seeds: number;
  /** Position of the last row of its runs on the x axis. */
  readonly end?: number;
}

/** Dashes distinguish series; with several configs in a chart, colors distinguish configs. */
const dashes = [null, '6 4', '1.5 3.5', '9 3 2 3', '3 2'] as const;

const folds = new WeakMap<readonly unknown[], { versions: string; curve: Curve }>();

/** Folding iterates over all points, so it runs only when one of them has changed. */
function folded(owner: readonly unknown[], curves: readonly Curve[], hold: boolean): Curve {
  const versions = curves.map(({ version }) => version).join();
  let known = folds.get(owner);
  if (known?.versions !== versions) {
    known = { versions, curve: foldSeeds(curves, hold) };
    folds.set(owner, known);
  }
  return known.curve;
}

/** Stable keys for folded curves: series, axis, weight and runs. */
const owners = new WeakMap<Series['read'], Map<string, readonly unknown[]>>();

function ownerOf(series: Series, name: string): readonly unknown[] {
  let byName = owners.get(series.read);
  if (byName === undefined) {
    byName = new Map();
    owners.set(series.read, byName);
  }
  let owner = byName.get(name);
  if (owner === undefined) {
    // Earlier results are obsolete once the selected runs or the weight change.
    if (byName.size > 16) byName.clear();
    owner = [];
    byName.set(name, owner);
  }
  return owner;
}

/** Single measurements and settings contain no noise to smooth. */
const isSmoothed = (mark: Mark) => mark === 'line' || mark === 'thin' || mark === 'dashed';

/**
 * Every series of every config as a line; the seeds of one config make one line.
 *
 * @param weight of the moving average
 */
export function linesOf(
  groups: readonly RunGroup[],
  series: readonly Series[],
  axis: AxisName,
  weight: number,
): readonly Line[] {
  const { read: abscissa } = xAxes[axis];
  const several = groups.length > 1;
  return groups.flatMap((group) => {
    const ends = group.runs.map(({ tracks, rows }) => {
      const { x, length } = tracks.get(abscissa, abscissa).follow(rows);
      return x[length - 1] ?? Number.NEGATIVE_INFINITY;
    });
    const end = Math.max(...ends);
    return series.map((one, place): Line => {
      const { name, read, band, mark = 'line' } = one;
      const isExact = group.runs.some(({ exact }) => exact === true);
      const own = isSmoothed(mark) && !isExact ? weight : 0;
      const tracks = group.runs.map((run) => run.tracks.get(abscissa, read, band).follow(run.rows));
      const curves = tracks.map((track) => track.smoothed(own)).filter(({ length }) => length > 0);
      const [only = tracks[0]] = curves;
      const single = curves.length < 2 && only !== undefined;
      const id = `${axis} ${own} ${group.runs.map((run) => run.id).join()}`;
      return {
        key: `${group.key} ${name}`,
        series: one,
        group,
        mark,
        color: several ? group.color : one.color,
        // Points too many to distinguish are drawn as a line, without their shapes.
        dash:
          several || mark === 'points'
            ? (dashes[place % dashes.length] ?? null)
            : mark === 'dashed'
              ? '5 4'
              : null,
        curve: single ? only : folded(ownerOf(one, id), curves, mark === 'steps'),
        raw:
          single && own > 0 ? (tracks.find(({ length }) => length > 0) ?? tracks[0] ?? null) : null,
        seeds: curves.length,
        end,
      };
    });
  });
}

/**
 * The last value of a line at or before an abscissa, or its newest value at infinity; null before its first
 * point and after its runs have ended.
 */
export function readLine({ curve, raw, end }: Line, at: number): LineReading | null {
  if (at > (end ?? at) && at !== Number.POSITIVE_INFINITY) return null;
  const index = indexAfter(curve, at) - 1;
  if (index < 0) return null;
  const value = (entries: Float64Array | null) => entries?.[index];
  const y = value(curve.y);
  if (y === undefined) return null;
  const [low, high] = [value(curve.low), value(curve.high)];
  return {
    value: raw === null ? y : (value(raw.y) ?? y),
    smoothed: raw === null ? null : y,
    range: low === undefined || high === undefined ? null : [low, high],
    seeds: curve.count?.[index] ?? null,
  };
}

export interface LineReading {
  readonly value: number;
  readonly smoothed: number | null;
  readonly range: readonly [low: number, high: number] | null;
  /** Number of seeds averaged at this point; null for a single seed. */
  readonly seeds: number | null;
}

/** Smallest and largest abscissa of some lines, above 0 on a log axis; null without points. */
export function extentX(
  lines: readonly Pick<Line, 'curve'>[],
  kind: ScaleKind,
): readonly [from: number, to: number] | null {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { curve } of lines) {
    const first = kind === 'log' ? indexAfter(curve, 0) : 0;
    if (first >= curve.length) continue;
    from = Math.min(from, curve.x[first] ?? from);
    to = Math.max(to, curve.x[curve.length - 1] ?? to);
  }
  return from <= to ? [from, to] : null;
}

/** Inputs of a thinned curve other than its values. */
interface Window {
  readonly scale: Scale;
  /** Pixels. */
  readonly width: number;
  /** Maximum bucket width in pixels. */
  readonly grain: number;
}

interface Thinned extends Window {
  readonly version: number;
  readonly indices: readonly number[];
}

const thinned = new WeakMap<Float64Array, Thinned>();

/**
 * Indices of the points drawn: those in view, thinned, plus one beyond either end. Cached until an
 * input changes.
 */
function thin(curve: Curve, values: Float64Array, window: Window): readonly number[] {
  const { scale, width, grain } = window;
  const known = thinned.get(values);
  if (
    known !== undefined &&
    known.version === curve.version &&
    known.width === width &&
    known.grain === grain &&
    known.scale.kind === scale.kind &&
    known.scale.from === scale.from &&
    known.scale.to === scale.to
  ) {
    return known.indices;
  }
  const from = Math.max(0, indexFrom(curve, scale.from) - 1);
  const to = Math.min(curve.length, indexAfter(curve, scale.to) + 1);
  const indices =
    to - from <= (2 * width) / grain
      ? Array.from({ length: to - from }, (_, i) => from + i)
      : decimate(curve.x, values, from, to, bucketsOf(scale, width / grain));
  thinned.set(values, { ...window, version: curve.version, indices });
  return indices;
}

function bucketsOf(scale: Scale, buckets: number): (x: number) => number {
  const { from, to } = scale;
  if (scale.kind === 'linear') {
    const perUnit = buckets / (to - from);
    return (x) => Math.floor((x - from) * perUnit);
  }
  const perUnit = buckets / Math.log(to / from);
  return (x) => (x <= 0 ? -1 : Math.floor(Math.log(x / from) * perUnit));
}

/** Bucket width in pixels. The lines of a chart share its point budget, so many lines get wide buckets. */
const grainOf = (lines: number) => Math.max(1, lines / 6);

/**
 * Smallest and largest value in view; null without any. On a log axis only values above 0 count.
 */
export function extentY(
  lines: readonly Line[],
  x: Scale,
  width: number,
  kind: ScaleKind,
): readonly [from: number, to: number] | null {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  const window = { scale: x, width, grain: grainOf(lines.length) };
  const take = (curve: Curve, values: Float64Array | null) => {
    if (values === null) return;
    for (const index of thin(curve, values, window)) {
      const value = values[index] ?? 0;
      const at = curve.x[index] ?? 0;
      if (at < x.from || at > x.to || (kind === 'log' && value <= 0)) continue;
      if (value < from) from = value;
      if (value > to) to = value;
    }
  };
  for (const { curve, raw } of lines) {
    take(curve, curve.y);
    take(curve, curve.low);
    take(curve, curve.high);
    if (raw !== null) take(raw, raw.y);
  }
  return from <= to ? [from, to] : null;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line in pixels of the plot. */
export interface DrawnLine {
  readonly line: Line;
  readonly path: string;
  /** Drawn faintly: the values behind a smoothed line, or a mean with missing seeds. */
  readonly faint: string | null;
  readonly area: string | null;
  /** Its points, if each is a single measurement and they are few enough to distinguish. */
  readonly dots: readonly Point[];
}

export interface PlotScales {
  readonly x: Scale;
  readonly y: Scale;
  readonly width: number;
  readonly height: number;
}

/** Caches the paths of thinned curves: while one run trains, the paths of all others stay the same. */
const traced = new WeakMap<readonly number[], { place: string; path: string }>();

/** Draws lines into a plot, with only the points its pixels can show. */
export function drawLines(lines: readonly Line[], scales: PlotScales): readonly DrawnLine[] {
  const { x, y, width, height } = scales;
  const window = { scale: x, width, grain: grainOf(lines.length) };
  const xOf = (value: number) => tenth(width * shareOf(x, value));
  const yOf = (value: number) => tenth(height * (1 - shareOf(y, value)));
  const place = JSON.stringify(scales);
  const trace = (curve: Curve, values: Float64Array, hold: boolean) => {
    const indices = thin(curve, values, window);
    let known = traced.get(indices);
    if (known?.place !== place) {
      const points = { x: curve.x, y: values };
      known = { place, path: pathThrough(points, indices, xOf, yOf, hold) };
      traced.set(indices, known);
    }
    return known.path;
  };
  return lines.map((line): DrawnLine => {
    const { curve, raw, mark } = line;
    const points = mark === 'points' || mark === 'joined';
    const indices = thin(curve, curve.y, window);
    const hold = mark === 'steps';
    const whole = trace(curve, curve.y, hold);
    const few = points && indices.length <= width / 8;
    return {
      line,
      path:
        curve.count === null
          ? whole
          : pathThrough(curve, shared(curve, indices, line.seeds), xOf, yOf, hold),
      faint: curve.count !== null ? whole : raw === null ? null : trace(raw, raw.y, false),
      area:
        curve.low === null || curve.high === null
          ? null
          : band(trace(curve, curve.high, hold), curve, curve.low, {
              indices: thin(curve, curve.low, window),
              xOf,
              yOf,
            }),
      dots:
        few || (!points && curve.length === 1)
          ? indices
              .map((index) => ({ x: xOf(curve.x[index] ?? 0), y: yOf(curve.y[index] ?? 0) }))
              .filter((dot) => Number.isFinite(dot.x) && Number.isFinite(dot.y))
          : [],
    };
  });
}

/** The points of a folded curve that include every seed. */
const shared = ({ count }: Curve, indices: readonly number[], seeds: number) =>
  indices.filter((index) => count?.[index] === seeds);

interface Below {
  readonly indices: readonly number[];
  readonly xOf: Place;
  readonly yOf: Place;
}

/** Closes a band: appends its lower edge in reverse to the upper edge. */
function band(upper: string, { x }: Curve, low: Float64Array, below: Below): string | null {
  if (upper === '') return null;
  let text = upper;
  for (let place = below.indices.length - 1; place >= 0; place--) {
    const index = below.indices[place] ?? 0;
    const left = below.xOf(x[index] ?? 0);
    const top = below.yOf(low[index] ?? 0);
    if (Number.isFinite(left)) text += `L${left} ${Number.isFinite(top) ? top : FAR}`;
  }
  return `${text}Z`;
}
