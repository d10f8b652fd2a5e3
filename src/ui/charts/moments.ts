/** Events of a run that are marked on its curves. */

import type { Finding } from '../../diagnosis/finding.ts';
import { several } from '../../runs/numbers.ts';
import type { Row } from '../../runs/row.ts';
import type { ChartRun } from './chart-data.ts';
import type { Curve } from './curve.ts';
import { type AxisName, xAxes } from './x-axis.ts';

export interface Moment {
  /** Position on the x axis. */
  readonly at: number;
  /** A few words. */
  readonly text: string;
}

export interface Moments {
  /** Where the horizon changed. */
  readonly phases: readonly Moment[];
  /** Where something needs attention. */
  readonly warnings: readonly Moment[];
  /** Where settings were changed by hand. */
  readonly turned: readonly Moment[];
  /** Where the greedy policy was evaluated. */
  readonly evaluations: readonly number[];
}

/** A range of the x axis. */
export interface Span extends Moment {
  readonly to: number;
}

/** Position on the x axis of an iteration, or of the next one if it is missing, or of the last one. */
export function placeOf(
  iteration: number,
  rows: readonly Row[],
  axis: AxisName,
): number | undefined {
  const row = rows.find((one) => one.iteration >= iteration) ?? rows.at(-1);
  return row === undefined ? undefined : xAxes[axis].read(row);
}

/** The range from one iteration to another on the x axis. */
export function spanOf(
  [from, to]: readonly [from: number, to: number],
  text: string,
  run: ChartRun | undefined,
  axis: AxisName,
): Span | null {
  if (run === undefined) return null;
  const [at, end] = [placeOf(from, run.rows, axis), placeOf(to, run.rows, axis)];
  return at === undefined || end === undefined ? null : { at, to: end, text };
}

/** Onset of each finding on the x axis: its interval, at least one iteration wide. */
export const spansOf = (
  findings: readonly Finding[],
  run: ChartRun | undefined,
  axis: AxisName,
): readonly Span[] =>
  findings.flatMap(({ interval, title }) => spanOf(interval, title, run, axis) ?? []);

const readHorizon = ({ metrics }: Row) => metrics['rollout/horizon'];
const readSkipped = ({ metrics, details }: Row) =>
  metrics['policy/skipped_updates'] ?? details.updates.filter(({ skipped }) => skipped).length;
const readEvaluated = ({ metrics }: Row) => metrics['eval/success_rate'];
const readIteration = ({ iteration }: Row) => iteration;

export function momentsOf(run: ChartRun | undefined, axis: AxisName): Moments {
  if (run === undefined) return { phases: [], warnings: [], turned: [], evaluations: [] };
  const { read: abscissa } = xAxes[axis];
  const follow = (read: (row: Row) => number | undefined) =>
    run.tracks.get(abscissa, read).follow(run.rows);
  return {
    phases: changes(follow(readHorizon)),
    warnings: [...skips(follow(readSkipped)), ...notes(run.markers, follow(readIteration))],
    turned: notes(run.turned ?? [], follow(readIteration)),
    evaluations: abscissae(follow(readEvaluated)),
  };
}

function changes({ x, y, length }: Curve): readonly Moment[] {
  const found: Moment[] = [];
  for (let index = 1; index < length; index++) {
    if (y[index] !== y[index - 1]) {
      found.push({ at: x[index] ?? 0, text: several(y[index] ?? 0, 'turn') });
    }
  }
  return found;
}

function skips({ x, y, length }: Curve): readonly Moment[] {
  const found: Moment[] = [];
  for (let index = 0; index < length; index++) {
    const count = y[index] ?? 0;
    if (count === 0) continue;
    found.push({
      at: x[index] ?? 0,
      text: count === 1 ? '1 update was skipped' : `${count} updates were skipped`,
    });
  }
  return found;
}

/** Markers, each at the position of its iteration on the x axis. */
function notes(markers: ChartRun['markers'], { x, y, length }: Curve): readonly Moment[] {
  return markers.flatMap(({ iteration, text }) => {
    const index = y.subarray(0, length).indexOf(iteration);
    return index < 0 ? [] : [{ at: x[index] ?? 0, text }];
  });
}

const abscissae = ({ x, length }: Curve): readonly number[] => [...x.subarray(0, length)];
