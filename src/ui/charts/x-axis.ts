/** The x axes that curves can use. */

import { duration, several, thousands } from '../../runs/numbers.ts';
import type { Row } from '../../runs/row.ts';
import { clockTicks, roundStep, type Scale, ticksOf } from './scale.ts';

export const axisNames = ['iteration', 'turns', 'tokens', 'time'] as const;
export type AxisName = (typeof axisNames)[number];

interface XAxisKind {
  readonly title: string;
  /** A position in words, such as `Iteration 12`. */
  readonly say: (value: number) => string;
  /** The label of a tick. */
  readonly format: (value: number) => string;
  readonly read: (row: Row) => number | undefined;
}

// Created once: creating a formatter per number would take longer than the rest of a readout.
const whole = new Intl.NumberFormat('en-US');

const clock = (seconds: number) =>
  seconds !== 0 && seconds < 10 ? `${Number(seconds.toPrecision(2))} s` : shortDuration(seconds);

/** A duration as a tick label: `90 s`, `2 min`, `1.5 h`. */
function shortDuration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Number((seconds / 60).toFixed(1))} min`;
  return `${Number((seconds / 3600).toFixed(1))} h`;
}

export const xAxes: Readonly<Record<AxisName, XAxisKind>> = {
  iteration: {
    title: 'Iterations',
    say: (value) => `Iteration ${whole.format(Math.round(value))}`,
    format: (value) => (value < 1e5 ? whole.format(value) : thousands(value)),
    read: ({ iteration }) => iteration,
  },
  turns: {
    title: 'Turns',
    say: (value) => several(value, 'turn'),
    format: thousands,
    read: ({ metrics }) => metrics['progress/turns'],
  },
  tokens: {
    title: 'Tokens',
    say: (value) => several(value, 'token'),
    format: thousands,
    read: ({ metrics }) => metrics['progress/tokens'],
  },
  time: {
    title: 'Time',
    say: (value) => `${duration(value)} of training`,
    format: clock,
    read: ({ metrics }) => metrics['time/seconds'],
  },
};

/** The last iteration at or before a position on the x axis; the first iteration if none precedes it. */
export function iterationAt(rows: readonly Row[], axis: AxisName, at: number): number | null {
  const { read } = xAxes[axis];
  const row = rows.findLast((one) => (read(one) ?? Number.POSITIVE_INFINITY) <= at) ?? rows[0];
  return row?.iteration ?? null;
}

/** One tick per about this many pixels. */
const TICK_PX = 80;

/**
 * Ticks of the x axis. Iterations start at 1, which has a tick; ticks too close to it are dropped.
 */
export function xTicks(axis: AxisName, scale: Scale, width: number): number[] {
  const count = Math.max(2, Math.floor(width / TICK_PX));
  if (axis === 'time') return clockTicks(scale, count);
  const ticks = ticksOf(scale, count);
  if (axis !== 'iteration') return ticks;
  const counted = ticks.filter((tick) => Number.isInteger(tick) && tick >= 1);
  if (scale.kind === 'log' || scale.from !== 1) return counted;
  const step = roundStep((scale.to - scale.from) / count);
  return [1, ...counted.filter((tick) => tick > 1 && tick - 1 >= 0.6 * step)];
}

/**
 * The x axis that holds all data with some room to grow, so that it seldom changes during a run.
 *
 * @param from smallest abscissa; on a log axis the smallest above 0
 * @param to largest abscissa
 */
export function wholeAxis(axis: AxisName, kind: Scale['kind'], from: number, to: number): Scale {
  const start = axis === 'iteration' ? 1 : kind === 'linear' ? 0 : from;
  const least = axis === 'iteration' ? 10 : start > 0 ? 2 * start : 1;
  const end = Math.max(to, least);
  const step = roundStep(end / 50);
  const room = Math.ceil(end / step - 1e-9) * step;
  return { kind, from: start, to: axis === 'iteration' ? Math.max(10, room) : room };
}
