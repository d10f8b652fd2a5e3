import { useElementSize } from '@mantine/hooks';
import { type PointerEvent, useEffect, useMemo, useState } from 'react';
import type { LogAxis } from '../../exchange/logs/axis.ts';
import type { LogSeries } from '../../exchange/logs/log.ts';
import type { LogSpan } from '../../exchange/logs/shown-log.ts';
import { metric } from '../../runs/metrics.ts';
import { significant, thousands } from '../../runs/numbers.ts';
import { drawInTurn } from '../charts/chart-data.ts';
import { useChartSettings } from '../charts/chart-settings.ts';
import { type Curve, indexAfter, smooth } from '../charts/curve.ts';
import { Curves } from '../charts/curves.tsx';
import { Frame, margin, topMargin } from '../charts/frame.tsx';
import { extentX, extentY, type Line } from '../charts/lines.ts';
import { type Lit, useDraws, useLit } from '../charts/lit.ts';
import { roundEnds, type Scale, shareOf, ticksOf, valueAtShare } from '../charts/scale.ts';

interface LogChartProps {
  readonly series: LogSeries;
  readonly axis: LogAxis;
  readonly spans: readonly LogSpan[];
}

const HEIGHT = 150;
const still = { phases: [], warnings: [], turned: [], evaluations: [] };
const noLevels: readonly never[] = [];

/** One series of a log, over the log's own axis and in its own unit. */
export function LogChart({ series, axis, spans }: LogChartProps) {
  const { key, metric: known, differs } = series;
  const { ref, width } = useElementSize<HTMLDivElement>();
  const smoothing = useChartSettings((settings) => settings.smoothing);
  const [turn, setTurn] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  // A curve of half a million points takes a frame of its own.
  useEffect(() => drawInTurn(() => setTurn(true)), []);
  const line = useMemo(() => (turn ? lineOf(series, smoothing) : null), [turn, series, smoothing]);
  useDraws(useMemo(() => (known === null ? [] : [known]), [known]));
  const lit = useLit((state) => (known !== null && state.lit?.metric === known ? state.lit : null));
  const title = known === null ? key : metric(known).title;
  const unit = known === null ? '' : metric(known).unit;
  const reading = line === null ? undefined : valueAt(line, at);
  return (
    <figure
      className="card chart log-chart"
      aria-label={title}
      data-series={key}
      data-metrics={known ?? undefined}
      data-lit={lit === null ? undefined : true}
    >
      <figcaption className="chart-head">
        <h3>{title}</h3>
        <span className="log-value">
          {reading === undefined ? '–' : `${significant(reading.y)} ${unit}`}
          {reading === undefined || at === null ? null : (
            <small>
              {' '}
              at {thousands(reading.x)} {axis.unit}
            </small>
          )}
        </span>
      </figcaption>
      <div ref={ref} className="plot" style={{ height: HEIGHT }}>
        {line === null || width === 0 ? null : (
          <Plot line={line} width={width} spans={spans} lit={lit} at={at} onAt={setAt} />
        )}
      </div>
      <p className="chart-meaning">
        {known === null ? 'As it was logged.' : <code>{key}</code>}
        {differs === null ? null : `. Not quite the same: ${differs}.`}
      </p>
    </figure>
  );
}

interface PlotProps {
  readonly line: Line;
  readonly width: number;
  readonly spans: readonly LogSpan[];
  /** Evidence that is pointed at and that it draws; its iterations are places on the axis. */
  readonly lit: Lit | null;
  readonly at: number | null;
  readonly onAt: (at: number | null) => void;
}

function Plot({ line, width, spans, lit, at, onAt }: PlotProps) {
  const plot = {
    width: Math.max(1, width - margin.left - margin.right),
    height: HEIGHT - topMargin(false) - margin.bottom,
  };
  const [from, to] = extentX([line], 'linear') ?? [0, 1];
  const x: Scale = { kind: 'linear', from, to: to > from ? to : from + 1 };
  const [least, most] = extentY([line], x, plot.width, 'linear') ?? [0, 1];
  const y = roundEnds('linear', least, most, 4);
  const lines = useMemo(() => [line], [line]);
  const moved = (event: PointerEvent<HTMLElement>) => {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left;
    onAt(valueAtShare(x, Math.max(0, Math.min(1, left / plot.width))));
  };
  return (
    <>
      <Frame
        {...{ width, x, y }}
        height={HEIGHT}
        xTicks={ticksOf(x, Math.max(2, Math.floor(plot.width / 80)))}
        xFormat={thousands}
        yTicks={ticksOf(y, 4)}
        yFormat={significant}
        levels={noLevels}
        phases={noLevels}
      />
      <Curves
        lines={lines}
        levels={noLevels}
        scales={{ x, y, ...plot }}
        moments={still}
        spans={spans}
        lit={
          lit === null ? null : { at: lit.iterations[0], to: lit.iterations[1], text: 'Evidence' }
        }
        large={false}
      />
      <div
        className="log-pointer"
        style={{
          left: margin.left,
          right: margin.right,
          top: topMargin(false),
          bottom: margin.bottom,
        }}
        onPointerMove={moved}
        onPointerLeave={() => onAt(null)}
      >
        {at === null ? null : (
          <div
            className="crosshair-line"
            style={{ transform: `translateX(${plot.width * shareOf(x, at)}px)` }}
          />
        )}
      </div>
    </>
  );
}

/** What can be drawn of a series: its finite points, smoothed as the other charts are. */
function lineOf({ key, x, y }: LogSeries, weight: number): Line {
  const finite = y.every(Number.isFinite);
  const keep = (values: Float64Array) =>
    finite ? values : values.filter((_, i) => Number.isFinite(y[i]));
  const raw: Curve = {
    ...{ x: keep(x), y: keep(y), low: null, high: null, count: null, version: 0 },
    length: finite ? y.length : y.reduce((count, one) => count + Number(Number.isFinite(one)), 0),
  };
  const smoothed = new Float64Array(raw.length);
  if (weight > 0) smooth(raw.y, smoothed, 0, raw.length, weight);
  const colour = 'var(--p-aegean)';
  return {
    key,
    series: { name: key, read: () => undefined, colour },
    group: { key, name: key, colour, runs: [] },
    mark: 'line',
    colour,
    dash: null,
    curve: weight > 0 ? { ...raw, y: smoothed } : raw,
    raw: weight > 0 ? raw : null,
    seeds: 1,
  };
}

/** The measurement at or last before a place; the newest where there is none. */
function valueAt({ curve, raw }: Line, at: number | null): { x: number; y: number } | undefined {
  const { x, y, length } = raw ?? curve;
  if (length === 0) return undefined;
  const index = at === null ? length - 1 : Math.max(0, indexAfter({ x, length }, at) - 1);
  return { x: x[index] ?? 0, y: y[index] ?? 0 };
}
