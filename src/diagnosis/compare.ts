/**
 * Compares two runs: where the outcome and each series first diverge, in units of their scatter.
 */

import { finitePoints, type Measured } from './changes.ts';
import { type Quantity, quantitiesIn } from './quantities.ts';
import { nameOf } from './what-changed.ts';

/** Divergence of one series between two runs. */
export interface Divergence {
  /** The name of the series in each run. */
  readonly keys: readonly [string, string];
  readonly quantity: Quantity | null;
  /** Step from which the two differ by more than their scatter; null if they never do. */
  readonly at: number | null;
  /** Means over the last fifth of their common steps. */
  readonly ends: readonly [number, number];
  /** Largest difference of smoothed values, in standard deviations of the scatter. */
  readonly strength: number;
}

export interface Comparison {
  /** First and last step that both runs have. */
  readonly steps: { readonly from: number; readonly to: number };
  readonly outcome: Divergence | null;
  /** All other series, in the order of divergence. */
  readonly series: readonly Divergence[];
  /** Settings that differ; a value is undefined if its run lacks the setting. */
  readonly settings: readonly {
    readonly path: string;
    readonly values: readonly [Setting | undefined, Setting | undefined];
  }[];
}

type Setting = number | string | boolean;

/** A run to compare. */
export interface Compared {
  readonly series: readonly Measured[];
  readonly named?: ReadonlyMap<Quantity, string>;
  readonly settings: ReadonlyMap<string, Setting>;
}

/** Number of points on the common axis for interpolation. */
const MOST_PLACES = 400;
/** Minimum difference of smoothed values in standard deviations. */
const APART = 4;
/** Share of the following points that must differ as well. */
const LASTING = 0.6;

const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Means of the points around each position, within half a window on either side; NaN without points. */
function smoothedAt(
  { x, y }: { readonly x: readonly number[]; readonly y: readonly number[] },
  places: readonly number[],
  half: number,
): { readonly means: readonly number[]; readonly errors: readonly number[] } {
  const steps = y.slice(1).map((value, i) => value - (y[i] ?? value));
  const scatter = Math.sqrt(meanOf(steps.map((step) => step * step)) / 2) || 0;
  let [low, high] = [0, 0];
  const [means, errors]: [number[], number[]] = [[], []];
  for (const place of places) {
    while (low < x.length && (x[low] ?? 0) < place - half) low++;
    high = Math.max(high, low);
    while (high < x.length && (x[high] ?? 0) <= place + half) high++;
    const part = y.slice(low, high);
    means.push(part.length === 0 ? Number.NaN : meanOf(part));
    errors.push(scatter / Math.sqrt(Math.max(1, part.length)));
  }
  return { means, errors };
}

function divergenceOf(
  a: Measured,
  b: Measured,
  quantity: Quantity | null,
  steps: Comparison['steps'],
): Divergence | null {
  const [left, right] = [a, b].map((one) => finitePoints(one, Number.POSITIVE_INFINITY));
  if (left === undefined || right === undefined) return null;
  if (left.x.length < 4 || right.x.length < 4) return null;
  const count = Math.min(MOST_PLACES, Math.max(left.x.length, right.x.length));
  const span = steps.to - steps.from;
  const places = Array.from(
    { length: count },
    (_, i) => steps.from + (span * i) / Math.max(1, count - 1),
  );
  const half = Math.max(
    span / 40,
    1.5 * (span / Math.max(1, Math.min(left.x.length, right.x.length) - 1)),
  );
  const [p, q] = [smoothedAt(left, places, half), smoothedAt(right, places, half)];
  const level = Math.max(...p.means.map(Math.abs), ...q.means.map(Math.abs)) || 1;
  const strengths = places.map((_, i) => {
    const difference = Math.abs((p.means[i] ?? Number.NaN) - (q.means[i] ?? Number.NaN));
    const error = Math.hypot(p.errors[i] ?? 0, q.errors[i] ?? 0);
    return difference / Math.max(error, 1e-3 * level);
  });
  const apart = strengths.map((strength) => strength > APART);
  const first = apart.findIndex((one, i) => {
    const rest = apart.slice(i, i + Math.max(3, Math.ceil(count / 10)));
    return one && rest.filter(Boolean).length >= LASTING * rest.length;
  });
  const end = (means: readonly number[]) => {
    const part = means.slice(-Math.max(1, Math.floor(count / 5))).filter(Number.isFinite);
    return part.length === 0 ? Number.NaN : meanOf(part);
  };
  return {
    ...{ keys: [a.key, b.key], quantity, ends: [end(p.means), end(q.means)] },
    at: first === -1 ? null : (places[first] ?? null),
    strength: Math.max(0, ...strengths.filter(Number.isFinite)),
  };
}

/** Quantities and series of both runs, on their common steps. */
export function compareRuns(a: Compared, b: Compared): Comparison {
  const quantitiesOf = ({ series, named = new Map() }: Compared) =>
    new Map([...quantitiesIn(series.map(({ key }) => key)), ...named]);
  const [left, right] = [quantitiesOf(a), quantitiesOf(b)];
  const byKey = new Map(b.series.map((one) => [one.key, one]));
  const quantityOf = new Map([...left].map(([quantity, key]) => [key, quantity]));
  const ends = (one: Compared) => [
    Math.min(...one.series.map(({ x }) => x[0] ?? Number.POSITIVE_INFINITY)),
    Math.max(...one.series.map(({ x }) => x[x.length - 1] ?? Number.NEGATIVE_INFINITY)),
  ];
  const [[fromA = 0, toA = 0], [fromB = 0, toB = 0]] = [ends(a), ends(b)];
  const steps = { from: Math.max(fromA, fromB), to: Math.min(toA, toB) };
  const found: Divergence[] = [];
  const seen = new Set<string>();
  for (const one of a.series) {
    if (seen.has(one.key)) continue;
    seen.add(one.key);
    const quantity = quantityOf.get(one.key) ?? null;
    // Two tools name a quantity differently.
    const key = quantity === null ? one.key : (right.get(quantity) ?? one.key);
    const other = byKey.get(key);
    if (other === undefined || steps.to <= steps.from) continue;
    const divergence = divergenceOf(one, other, quantity, steps);
    if (divergence !== null) found.push(divergence);
  }
  const isOutcome = ({ quantity }: Divergence) => quantity === 'score' || quantity === 'success';
  const outcome =
    found.find(({ quantity }) => quantity === 'score') ?? found.find(isOutcome) ?? null;
  const order = ({ at }: Divergence) => at ?? Number.POSITIVE_INFINITY;
  return {
    ...{ steps, outcome },
    series: found
      .filter((one) => one !== outcome)
      .sort((p, q) => order(p) - order(q) || q.strength - p.strength),
    settings: [...new Set([...a.settings.keys(), ...b.settings.keys()])].sort().flatMap((path) => {
      const values = [a.settings.get(path), b.settings.get(path)] as const;
      return values[0] === values[1] ? [] : [{ path, values }];
    }),
  };
}

/** A series' name in a sentence. */
export const divergenceName = ({ quantity, keys }: Divergence): string =>
  quantity === null ? keys[0] : nameOf(quantity, keys[0]);
