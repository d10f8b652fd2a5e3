/** Axes of a sweep's plots: one per searched parameter, and one for the metric. */
import { describeConfig } from '../../../config/fields.ts';
import { leastAndMost, significant } from '../../../runs/numbers.ts';
import type { Sweep } from '../../../sweep/file.ts';
import {
  type Choice,
  choiceIndex,
  isFixed,
  type Parameter,
  type Span,
  spanPlace,
  spanValue,
  type Value,
} from '../../../sweep/space.ts';
import type { SweepSummary, TrialSummary } from '../../../sweep/summary.ts';
import { roundEnds, type Scale, shareOf, ticksOf, valueAtShare } from '../../charts/scale.ts';

export interface AxisTick {
  /** Fraction of the axis, from its start. */
  readonly share: number;
  readonly text: string;
}

export interface ParameterAxis {
  readonly path: string;
  readonly title: string;
  readonly ticks: readonly AxisTick[];
  /** Number of values of a categorical parameter; null for a numeric one. */
  readonly choices: number | null;
  /** Position of a trial's value, as a fraction of the axis. */
  readonly at: (trial: Pick<TrialSummary, 'values'>) => number;
  /** The value at a position, as text. */
  readonly format: (share: number) => string;
}

export interface MetricAxis {
  readonly title: string;
  readonly scale: Scale;
  readonly ticks: readonly AxisTick[];
  readonly at: (value: number) => number;
  readonly format: (share: number) => string;
}

/** Ticks of an axis. */
const TICKS = 5;

/** A parameter's value as text; numbers have three significant digits. */
export function valueText(value: Value | undefined): string {
  if (value === undefined) return '–';
  if (typeof value === 'number') return significant(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const flagTitles: Readonly<Record<string, string>> = {
  preset: 'Preset',
  method: 'Method',
  published: 'As published',
};

/** Title of a parameter, as in the settings. */
export function parameterTitle(path: string): string {
  const field = describeConfig().find((one) => one.path === path);
  return field?.title ?? flagTitles[path] ?? path.slice(path.lastIndexOf('.') + 1);
}

/** Axes of the parameters with more than one value. */
export function parameterAxes(
  { parameters }: Pick<Sweep, 'parameters'>,
  trials: readonly Pick<TrialSummary, 'values'>[],
): readonly ParameterAxis[] {
  return parameters.filter((parameter) => !isFixed(parameter)).map((one) => axisOf(one, trials));
}

function axisOf(
  { path, dimension }: Parameter,
  trials: readonly Pick<TrialSummary, 'values'>[],
): ParameterAxis {
  const title = parameterTitle(path);
  return dimension.kind === 'choice'
    ? { path, title, ...choiceAxis(path, dimension) }
    : { path, title, ...spanAxis(path, dimension, trials) };
}

type Along = Omit<ParameterAxis, 'path' | 'title'>;

function choiceAxis(path: string, dimension: Choice): Along {
  const { values } = dimension;
  const n = values.length;
  return {
    choices: n,
    ticks: values.map((value, i) => ({ share: (i + 0.5) / n, text: valueText(value) })),
    at: (trial) => (choiceIndex(dimension, trial.values[path] ?? null) + 0.5) / n,
    format: (share) => valueText(values[Math.min(n - 1, Math.floor(share * n))]),
  };
}

function spanAxis(
  path: string,
  dimension: Span,
  trials: readonly Pick<TrialSummary, 'values'>[],
): Along {
  const place = (trial: Pick<TrialSummary, 'values'>) =>
    spanPlace(dimension, Number(trial.values[path]));
  const [low, high] = endsOf(dimension, trials.map(place));
  const share = (at: number) => (at - low) / (high - low);
  const isLog = dimension.scale === 'log';
  const value = (at: number) => (isLog ? Math.exp(at) : at);
  const marks = ticksOf(
    { kind: isLog ? 'log' : 'linear', from: value(low), to: value(high) },
    TICKS,
  );
  return {
    choices: null,
    ticks: marks.map((mark) => ({
      share: share(isLog ? Math.log(mark) : mark),
      text: significant(mark),
    })),
    at: (trial) => share(place(trial)),
    format: (at) => significant(spanValue(dimension, low + at * (high - low))),
  };
}

/** A normal distribution is unbounded, so the axis spans the sampled values. */
function endsOf(
  { low, high, normal }: Span,
  tried: readonly number[],
): readonly [low: number, high: number] {
  if (normal === null) return [low, high];
  const [least, most] = leastAndMost(tried);
  return most > least ? [least, most] : [normal.mu - normal.sigma, normal.mu + normal.sigma];
}

/** The metric's axis, wide enough for every seed. */
export function metricAxis({
  trials,
  metric,
}: Pick<SweepSummary, 'trials' | 'metric'>): MetricAxis {
  const values = trials.flatMap(({ bySeed }) => bySeed.filter((value) => value !== null));
  const [least, most] = leastAndMost(values);
  const round =
    values.length === 0
      ? ({ kind: 'linear', from: 0, to: 1 } as const)
      : roundEnds('linear', least, most, TICKS);
  const [min, max] = metric.range;
  const scale: Scale = {
    kind: 'linear',
    from: Math.max(round.from, min ?? Number.NEGATIVE_INFINITY),
    to: Math.min(round.to, max ?? Number.POSITIVE_INFINITY),
  };
  return {
    title: metric.title,
    scale,
    ticks: ticksOf(scale, TICKS).map((mark) => ({
      share: shareOf(scale, mark),
      text: significant(mark),
    })),
    at: (value) => shareOf(scale, value),
    format: (share) => significant(valueAtShare(scale, share)),
  };
}
