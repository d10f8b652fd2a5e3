import { memo } from 'react';
import { type MetricKey, metric as metricOf } from '../../runs/metrics.ts';
import { significant, thousands } from '../../runs/numbers.ts';
import { decimate } from './decimate.ts';
import type { ForeignRun } from './foreign.ts';
import { margin } from './frame.tsx';
import type { Points } from './points.ts';
import { pathThrough, roundEnds, type Scale, shareOf, tenth, ticksOf } from './scale.ts';

interface ForeignCurveProps {
  readonly foreign: ForeignRun;
  /** The chart's metrics; the first one that the run has is drawn. */
  readonly metrics: readonly MetricKey[];
  /** Size of the plot, in pixels. */
  readonly width: number;
  readonly height: number;
}

/** Approximate number of ticks on its y axis. */
const TICKS = 3;

/** The curve of an external run, with its x axis along the top and its y axis along the right. */
export const ForeignCurve = memo(function ForeignCurve(props: ForeignCurveProps) {
  const { foreign, metrics, width, height } = props;
  const key = metrics.find((one) => foreign.series.has(one));
  const series = key === undefined ? undefined : foreign.series.get(key);
  if (key === undefined || series === undefined || series.x.length === 0) return null;
  const x = xScale(series);
  const y = yScale(series);
  return (
    <svg
      className="foreign"
      width={width}
      height={height}
      // Attributes instead of a style sheet, so that saved images contain them.
      fill="none"
      style={{ right: margin.right, bottom: margin.bottom }}
      role="img"
      aria-label={`${metricOf(key).title} of ${foreign.name}, on separate axes`}
      data-testid="foreign-curve"
    >
      {foreign.spans.map(({ at, to }) => (
        <path
          key={`${at} ${to}`}
          stroke="var(--p-warn)"
          strokeWidth={4}
          d={`M${Math.max(0, width * shareOf(x, at) - 3)} 1.5H${Math.min(width, width * shareOf(x, to) + 3)}`}
        />
      ))}
      <path d={`M0 .5H${width - 0.5}V${height}`} stroke="var(--p-ink)" strokeOpacity={0.7} />
      <path
        className="foreign-line"
        d={pathOf(series, x, y, width, height)}
        stroke="var(--p-ink)"
        strokeWidth={1.5}
        strokeDasharray="1.5 3"
        strokeLinejoin="round"
      />
      <g
        fontSize="var(--text-xs)"
        textAnchor="end"
        fill="var(--p-ink)"
        stroke="var(--p-card)"
        strokeWidth={4}
        strokeLinejoin="round"
        paintOrder="stroke"
      >
        {ticksOf(y, TICKS)
          // The corner belongs to the x axis.
          .filter((value) => shareOf(y, value) < 0.86)
          .map((value) => (
            <text key={value} x={width - 5} y={height * (1 - shareOf(y, value)) - 3}>
              {significant(value)}
            </text>
          ))}
        <text x={width - 5} y={12}>
          {foreign.name}: {thousands(x.from)} to {thousands(x.to)} {foreign.unit} (dotted, right and
          top axes)
        </text>
      </g>
    </svg>
  );
});

function xScale({ x }: Points): Scale {
  const [from, to] = [x[0] ?? 0, x[x.length - 1] ?? 1];
  return { kind: 'linear', from, to: to > from ? to : from + 1 };
}

function yScale({ y }: Points): Scale {
  let least = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of y) {
    if (!Number.isFinite(value)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return most > least
    ? roundEnds('linear', least, most, TICKS)
    : { kind: 'linear', from: least, to: least + 1 };
}

function pathOf(points: Points, x: Scale, y: Scale, width: number, height: number): string {
  const perUnit = width / (x.to - x.from);
  const bucket = (at: number) => Math.floor((at - x.from) * perUnit);
  return pathThrough(
    points,
    decimate(points.x, points.y, 0, points.x.length, bucket),
    (at) => tenth(width * shareOf(x, at)),
    (value) => tenth(height * (1 - shareOf(y, value))),
  );
}
