import { useElementSize } from '@mantine/hooks';
import { memo, useId, useMemo } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceLine,
  Tooltip,
  type TooltipContentProps,
  XAxis,
  YAxis,
} from 'recharts';
import type { MetricKey } from '../../runs/metrics.ts';
import { decimate } from '../decimate.ts';
import type { IterationRow } from '../store.ts';
import { Marker, type Shape } from './marker.tsx';

/** One curve, or one set of points. */
export interface Series {
  /** Unique within the chart. */
  readonly name: string;
  readonly read: (row: IterationRow) => number | undefined;
  /** Smallest and largest value within an iteration, drawn as a band behind the curve. */
  readonly band?: (row: IterationRow) => readonly [min: number, max: number] | undefined;
  /** A CSS colour, for instance `var(--p-terracotta)`. */
  readonly colour: string;
  /**
   * `points` marks the iterations that have a value, `joined` joins them with a line; `steps` holds a
   * value until it changes; `thin` is a line that stays behind the others.
   */
  readonly mark?: 'line' | 'thin' | 'dashed' | 'points' | 'joined' | 'steps';
  /** Of its points; a circle where left out. */
  readonly shape?: Shape;
  /** Whether it stands at the head of the chart with its newest value; so it does where left out. */
  readonly inLegend?: boolean;
}

/** A metric as a curve. */
export function ofMetric(
  key: MetricKey,
  name: string,
  colour: string,
  mark: NonNullable<Series['mark']> = 'line',
): Series {
  return { name, colour, mark, read: (row) => row.metrics[key] };
}

/** A value that a curve is to be read against. */
export interface Level {
  readonly value: number;
  /** Written beside the line: below it, or above it where that is asked for. */
  readonly name?: string;
  readonly above?: boolean;
}

export interface MetricChartProps {
  readonly title: string;
  /** What the number means. */
  readonly meaning: string;
  /** Why it moves now. */
  readonly why: string;
  readonly rows: readonly IterationRow[];
  readonly series: readonly Series[];
  readonly format: (value: number | undefined) => string;
  readonly unit?: string;
  /** Bounds of the y axis; what is left out follows the data. */
  readonly domain?: readonly [number | 'auto', number | 'auto'];
  readonly levels?: readonly Level[];
  /** Marks of the y axis; left out, they are round numbers. */
  readonly ticks?: readonly number[];
  readonly scale?: 'linear' | 'log';
  /** Iterations at which the horizon changed, with the new limit. */
  readonly phases: readonly Phase[];
  /** Write the new limit beside each phase line. */
  readonly namePhases?: boolean;
  readonly height: number;
  readonly large?: boolean;
  /** Stable name for tests. */
  readonly testId: string;
}

export interface Phase {
  readonly iteration: number;
  readonly horizon: number;
}

/** Where the horizon of a run changed, from its rows. */
export function phasesOf(rows: readonly IterationRow[]): readonly Phase[] {
  const phases: Phase[] = [];
  let before: number | undefined;
  for (const { iteration, metrics } of rows) {
    const horizon = metrics['rollout/horizon'];
    if (horizon === undefined) continue;
    if (before !== undefined && horizon !== before) phases.push({ iteration, horizon });
    before = horizon;
  }
  return phases;
}

function latest(rows: readonly IterationRow[], { read }: Series): number | undefined {
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index];
    const value = row === undefined ? undefined : read(row);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A chart that explains itself: title, present values, curve, meaning, and why it moves now. */
export const MetricChart = memo(function MetricChart(props: MetricChartProps) {
  const { title, meaning, why, rows, series, format, unit, large, testId } = props;
  const id = useId();
  const named = series.filter(({ inLegend = true }) => inLegend);
  return (
    <figure
      className={large ? 'card chart chart-large' : 'card chart'}
      data-testid={testId}
      aria-labelledby={id}
      aria-describedby={`${id}-why`}
    >
      <figcaption className="chart-head">
        <h3 id={id}>{title}</h3>
        <dl className="chart-values">
          {named.map((one) => (
            <div key={one.name}>
              <dt>
                <Swatch series={one} />
                <span className={named.length === 1 ? 'visually-hidden' : undefined}>
                  {one.name}
                </span>
              </dt>
              <dd>
                {format(latest(rows, one))}
                {unit === undefined ? null : <span className="unit"> {unit}</span>}
              </dd>
            </div>
          ))}
        </dl>
      </figcaption>
      <Plot {...props} />
      <p className="chart-meaning">{meaning}</p>
      <p className="chart-why" id={`${id}-why`}>
        {why}
      </p>
    </figure>
  );
});

/** A curve's mark beside its name. */
function Swatch({ series: { mark = 'line', shape, colour } }: { readonly series: Series }) {
  if (shape === undefined) {
    return <span className={`swatch swatch-${mark}`} style={{ color: colour }} aria-hidden />;
  }
  return (
    <svg className="swatch-shape" viewBox="0 0 20 12" aria-hidden>
      <path d="M0 6H20" stroke={colour} strokeWidth={1.5} />
      <Marker shape={shape} x={10} y={6} radius={4.2} colour={colour} />
    </svg>
  );
}

const layers = { thin: 0, dashed: 1, steps: 2, line: 3, joined: 4, points: 5 } as const;
const widths = { thin: 1, dashed: 1.5, steps: 1.5, line: 2, joined: 1.5, points: 0 } as const;
const layer = ({ mark }: Series) => layers[mark ?? 'line'];

/** Round iterations to mark, the first included, about one per 80 pixels. */
export function iterationTicks(last: number, width: number): number[] {
  const rough = last / Math.max(2, Math.floor(width / 80));
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step =
    [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => size >= rough) ?? magnitude;
  const ticks = [1];
  for (let tick = step; tick <= last; tick += step) {
    // Beside the 1 there is no room for another number.
    if (tick > 1 && tick - 1 >= 0.6 * step) ticks.push(tick);
  }
  return ticks;
}

function Plot(props: MetricChartProps) {
  const { rows, series, format, domain, phases, height, namePhases, levels = [] } = props;
  const { ref, width } = useElementSize();
  const data = useMemo(
    () =>
      decimate(
        rows,
        series.flatMap(({ read, band }) =>
          band === undefined
            ? [read]
            : [read, (row: IterationRow) => band(row)?.[0], (row: IterationRow) => band(row)?.[1]],
        ),
        Math.max(24, width / 4),
      ),
    [rows, series, width],
  );
  // Points lie on top of lines, and whole lines on top of dashed ones.
  const drawn = [...series].sort((left, right) => layer(left) - layer(right));
  const last = rows.at(-1)?.iteration ?? 1;
  return (
    <div ref={ref} className="plot" style={{ height }}>
      {width > 0 ? (
        <ComposedChart
          width={width}
          height={height}
          data={data as IterationRow[]}
          margin={{ top: namePhases ? 16 : 6, right: 10, bottom: 0, left: 0 }}
          syncId="runs"
          syncMethod="value"
        >
          <CartesianGrid vertical={false} stroke="var(--p-grid)" />
          <XAxis
            dataKey="iteration"
            type="number"
            domain={[1, Math.max(10, last)]}
            ticks={iterationTicks(Math.max(10, last), width)}
            interval={0}
            tick={{ fontSize: 11, fill: 'var(--p-faint)' }}
            tickLine={false}
            axisLine={{ stroke: 'var(--p-rule)' }}
            height={20}
          />
          <YAxis
            width={54}
            domain={domain === undefined ? [0, 'auto'] : [...domain]}
            scale={props.scale ?? 'linear'}
            tickCount={props.large ? 6 : 4}
            {...(props.ticks === undefined ? {} : { ticks: props.ticks })}
            tickFormatter={(value: number) => format(value)}
            tick={{ fontSize: 11, fill: 'var(--p-faint)' }}
            tickLine={false}
            axisLine={false}
          />
          {phases.map(({ iteration, horizon }) => (
            <ReferenceLine
              key={iteration}
              x={iteration}
              stroke="var(--p-phase)"
              strokeDasharray="2 3"
              {...(namePhases
                ? {
                    label: {
                      value: `${horizon} turns`,
                      position: 'top' as const,
                      fontSize: 11,
                      fill: 'var(--p-faint)',
                    },
                  }
                : {})}
            />
          ))}
          {levels.map(({ value, name, above = false }) => (
            <ReferenceLine
              key={value}
              y={value}
              ifOverflow="extendDomain"
              stroke="var(--p-faint)"
              strokeDasharray="6 3"
              {...(name === undefined
                ? {}
                : {
                    label: {
                      value: name,
                      position: above
                        ? ('insideBottomRight' as const)
                        : ('insideTopRight' as const),
                      fontSize: 11,
                      fill: 'var(--p-faint)',
                    },
                  })}
            />
          ))}
          <Tooltip
            isAnimationActive={false}
            cursor={{ stroke: 'var(--p-faint)', strokeWidth: 1 }}
            content={(tip) => <Tip tip={tip} series={series} format={format} />}
          />
          {drawn.map(({ name, colour, band }) =>
            band === undefined ? null : (
              <Area
                key={`${name} band`}
                dataKey={(row: IterationRow) => band(row)}
                stroke="none"
                fill={colour}
                fillOpacity={0.18}
                activeDot={false}
                connectNulls
                isAnimationActive={false}
              />
            ),
          )}
          {drawn.map(({ name, read, colour, mark = 'line', shape = 'circle' }) => (
            <Line
              key={name}
              name={name}
              dataKey={read}
              type={mark === 'steps' ? 'stepAfter' : 'linear'}
              stroke={colour}
              strokeWidth={widths[mark]}
              {...(mark === 'thin' ? { strokeOpacity: 0.6 } : {})}
              {...(mark === 'dashed' ? { strokeDasharray: '5 4' } : {})}
              dot={
                mark === 'points' || mark === 'joined'
                  ? ({ key, cx, cy }) =>
                      typeof cx === 'number' && typeof cy === 'number' ? (
                        <Marker
                          key={key}
                          shape={shape}
                          x={cx}
                          y={cy}
                          radius={props.large ? 4 : 3}
                          colour={colour}
                        />
                      ) : null
                  : rows.length === 1
                    ? { r: 2.5, fill: colour, stroke: colour }
                    : false
              }
              activeDot={{ r: 3.5, stroke: 'var(--p-card)' }}
              connectNulls
              isAnimationActive={false}
            />
          ))}
        </ComposedChart>
      ) : null}
    </div>
  );
}

interface TipProps {
  readonly tip: TooltipContentProps;
  readonly series: readonly Series[];
  readonly format: (value: number | undefined) => string;
}

function Tip({ tip, series, format }: TipProps) {
  if (!tip.active) return null;
  const row: IterationRow | undefined = tip.payload[0]?.payload;
  if (row === undefined) return null;
  return (
    <div className="chart-tip">
      <div>Iteration {row.iteration}</div>
      {series.map((one) => {
        const { name, read, band } = one;
        const value = read(row);
        if (value === undefined) return null;
        const range = band?.(row);
        return (
          <div key={name}>
            <Swatch series={one} /> {name} <b>{format(value)}</b>
            {range === undefined ? null : ` (${format(range[0])} to ${format(range[1])})`}
          </div>
        );
      })}
    </div>
  );
}
