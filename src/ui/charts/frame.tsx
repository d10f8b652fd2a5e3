import { memo } from 'react';
import { CartesianGrid, LineChart, ReferenceLine, XAxis, YAxis } from 'recharts';
import { shown } from '../shell/language/current.ts';
import type { Scale } from './scale.ts';

/** Pixels between the edges of a chart and its plot. */
export const margin = { left: 54, right: 10, bottom: 20 } as const;
/** Charts narrower than this are small multiples: fewer ticks, less room for them. */
const SMALL_PX = 220;
export const isSmall = (width: number) => width > 0 && width < SMALL_PX;
export const leftMargin = (width: number) => (isSmall(width) ? 48 : margin.left);
/** Pixels above the plot, with and without named phases. */
export const topMargin = (named: boolean) => (named ? 18 : 8);

interface FrameProps {
  readonly width: number;
  readonly height: number;
  readonly x: Scale;
  readonly xTicks: readonly number[];
  readonly xFormat: (value: number) => string;
  readonly y: Scale;
  readonly yTicks: readonly number[];
  readonly yFormat: (value: number) => string;
  readonly levels: readonly number[];
  readonly phases: readonly FramePhase[];
}

export interface FramePhase {
  readonly at: number;
  /** Label above the line; null if there is no room. */
  readonly name: string | null;
}

const anchor = [{ x: 1 }];
const axis = { type: 'number', allowDataOverflow: true, interval: 0, tickLine: false } as const;
const tick = { fontSize: 'var(--text-xs)', fill: 'var(--p-faint)' };

/**
 * Axes, grid and reference lines. The curves change every iteration and are drawn in a separate SVG, so
 * this one renders only when an axis changes.
 */
export const Frame = memo(
  function Frame(props: FrameProps) {
    const { width, height, x, xTicks, xFormat, y, yTicks, yFormat, levels, phases } = props;
    return (
      <LineChart
        width={width}
        height={height}
        // Recharts needs data to lay out axes; the domains decide what they show.
        data={anchor}
        margin={{
          top: topMargin(phases.some(({ name }) => name !== null)),
          right: margin.right,
          bottom: 0,
          left: 0,
        }}
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="var(--p-grid)" />
        <XAxis
          dataKey="x"
          {...axis}
          scale={x.kind}
          domain={[x.from, x.to]}
          ticks={xTicks}
          tickFormatter={(value) => shown(xFormat(value))}
          tick={tick}
          axisLine={{ stroke: 'var(--p-rule)' }}
          height={margin.bottom}
        />
        <YAxis
          {...axis}
          scale={y.kind}
          domain={[y.from, y.to]}
          ticks={yTicks}
          tickFormatter={(value) => shown(yFormat(value))}
          tick={tick}
          axisLine={false}
          width={leftMargin(width)}
        />
        {phases.map(({ at, name }) => (
          <ReferenceLine
            key={at}
            x={at}
            stroke="var(--p-phase)"
            strokeDasharray="2 3"
            {...(name === null
              ? {}
              : { label: { value: shown(name), position: 'top' as const, ...tick } })}
          />
        ))}
        {levels.map((value) => (
          <ReferenceLine key={value} y={value} stroke="var(--p-faint)" strokeDasharray="6 3" />
        ))}
      </LineChart>
    );
  },
  (before, after) => sameFrame(before, after),
);

const scaleText = ({ kind, from, to }: Scale) => `${kind} ${from} ${to}`;

function sameFrame(before: FrameProps, after: FrameProps): boolean {
  return (
    before.width === after.width &&
    before.height === after.height &&
    before.xFormat === after.xFormat &&
    before.yFormat === after.yFormat &&
    scaleText(before.x) === scaleText(after.x) &&
    scaleText(before.y) === scaleText(after.y) &&
    before.xTicks.join() === after.xTicks.join() &&
    before.yTicks.join() === after.yTicks.join() &&
    JSON.stringify([before.levels, before.phases]) === JSON.stringify([after.levels, after.phases])
  );
}
