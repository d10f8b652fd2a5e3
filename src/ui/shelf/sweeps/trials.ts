/** Trials in parallel coordinates: positions, selection and color. */
import { leastAndMost } from '../../../runs/numbers.ts';
import type { SweepSummary, TrialSummary } from '../../../sweep/summary.ts';
import type { AxisTick, MetricAxis, ParameterAxis } from './axes.ts';
import { type Brushes, brushOf, within } from './brush.ts';

/** An axis of either kind. */
export interface Axis {
  /** A parameter's path, or `METRIC`. */
  readonly id: string;
  readonly title: string;
  readonly ticks: readonly AxisTick[];
  /** Number of list values; null for a numeric axis. */
  readonly choices: number | null;
  /** Null for a trial without a value. */
  readonly at: (trial: TrialSummary) => number | null;
  readonly format: (share: number) => string;
}

/** Id of the metric's axis; no parameter can have it. */
export const METRIC = '=';

export function allAxes(parameters: readonly ParameterAxis[], metric: MetricAxis): readonly Axis[] {
  return [
    ...parameters.map(({ path, ...axis }): Axis => ({ id: path, ...axis })),
    {
      ...{ id: METRIC, title: metric.title, ticks: metric.ticks, choices: null },
      at: ({ estimate }) => (estimate === null ? null : metric.at(estimate.mean)),
      format: metric.format,
    },
  ];
}

/** Whether a trial lies within every brush. */
export function liesWithin(axes: readonly Axis[], brushes: Brushes, trial: TrialSummary): boolean {
  return (
    brushes.size === 0 || axes.every((axis) => within(brushOf(brushes, axis.id), axis.at(trial)))
  );
}

/**
 * A trial's mean on a linear scale: 0 for the worst mean of the sweep, 1 for the best; null without a
 * value.
 */
export function goodnessIn(
  { trials }: Pick<SweepSummary, 'trials'>,
  goal: 'maximize' | 'minimize',
): (trial: TrialSummary) => number | null {
  const means = trials.flatMap(({ estimate }) => (estimate === null ? [] : [estimate.mean]));
  const [least, most] = leastAndMost(means);
  return ({ estimate }) => {
    if (estimate === null) return null;
    const share = most > least ? (estimate.mean - least) / (most - least) : 1;
    return goal === 'maximize' ? share : 1 - share;
  };
}

type Place = (share: number) => number;

/** A trial's line; it skips axes for which it has no value. */
export function pathOf(
  axes: readonly Axis[],
  trial: TrialSummary,
  xOf: (axis: number) => number,
  yOf: Place,
): string {
  const places = axes.flatMap((axis, i) => {
    const at = axis.at(trial);
    return at === null ? [] : [`${tenth(xOf(i))} ${tenth(yOf(at))}`];
  });
  return places.length === 0 ? '' : `M${places.join('L')}`;
}

/** The trial whose line is nearest to a point between two axes; null if none is near. */
export function nearestTrial(
  axes: readonly Axis[],
  trials: readonly TrialSummary[],
  { x, y }: { readonly x: number; readonly y: number },
  xOf: (axis: number) => number,
  yOf: Place,
  within: number,
): number | null {
  const left = axes.findLastIndex((_, i) => xOf(i) <= x);
  const [before, after] = [axes[left], axes[left + 1]];
  if (before === undefined || after === undefined) return null;
  const along = (x - xOf(left)) / (xOf(left + 1) - xOf(left));
  let best: number | null = null;
  let least = within;
  for (const trial of trials) {
    const [from, to] = [before.at(trial), after.at(trial)];
    if (from === null || to === null) continue;
    const distance = Math.abs(yOf(from) + along * (yOf(to) - yOf(from)) - y);
    if (distance < least) [best, least] = [trial.number, distance];
  }
  return best;
}

const tenth = (value: number) => Math.round(10 * value) / 10;
