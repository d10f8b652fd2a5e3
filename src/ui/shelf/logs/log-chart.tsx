import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { LogAxis } from '../../../exchange/logs/axis.ts';
import type { LogSeries } from '../../../exchange/logs/log.ts';
import type { LogSpan } from '../../../exchange/logs/shown-log.ts';
import { metric } from '../../../runs/metrics.ts';
import { significant, thousands } from '../../../runs/numbers.ts';
import { drawInTurn } from '../../charts/chart-data.ts';
import { useChartSettings } from '../../charts/chart-settings.ts';
import { type Curve, indexAfter, indexFrom, smooth } from '../../charts/curve.ts';
import { Curves } from '../../charts/curves.tsx';
import { Frame, margin, topMargin } from '../../charts/frame.tsx';
import { indexAtKey } from '../../charts/index-at-key.ts';
import { extentX, extentY, type Line } from '../../charts/lines.ts';
import { type Lit, useDraws, useLit } from '../../charts/lit.ts';
import {
  type Held,
  partOf,
  roundEnds,
  type Scale,
  scaleThrough,
  shareOf,
  ticksOf,
  valueAtShare,
} from '../../charts/scale.ts';
import { isBrowserShortcut } from '../../shell/comfort/keys.ts';
import { useEpisodes, viewStepNear } from '../episodes/store.ts';
import { pointAt, useLogView, zoomTo } from './log-view.ts';

interface LogChartProps {
  readonly series: LogSeries;
  readonly axis: LogAxis;
  readonly spans: readonly LogSpan[];
  /** Title of the series, if it has one besides its logged name. */
  readonly title?: string | undefined;
  /** The same series of another log. */
  readonly beside?: LogSeries | undefined;
  /** Whether the series is the score, which is drawn larger. */
  readonly large?: boolean;
}

const HEIGHT = 150;
const LARGE = 220;
const still = { phases: [], warnings: [], turned: [], evaluations: [] };
const noLevels: readonly never[] = [];

/** One series of a log, over the log's own axis. */
export function LogChart({
  series,
  axis,
  spans,
  title: named,
  beside,
  large = false,
}: LogChartProps) {
  const { key, metric: known, differs } = series;
  const { ref, width } = useElementSize<HTMLDivElement>();
  const smoothing = useChartSettings((settings) => settings.smoothing);
  const [turn, setTurn] = useState(false);
  const at = useLogView((view) => view.at);
  // Half a million points take a whole frame to draw; React might otherwise draw two charts in one
  // frame.
  useEffect(() => drawInTurn(() => flushSync(() => setTurn(true))), []);
  const line = useMemo(() => (turn ? lineOf(series, smoothing) : null), [turn, series, smoothing]);
  const other = useMemo(
    () => (turn && beside !== undefined ? lineOf(beside, smoothing, BESIDE) : null),
    [turn, beside, smoothing],
  );
  useDraws(useMemo(() => (known === null ? [] : [known]), [known]));
  const lit = useLit((state) => (known !== null && state.lit?.metric === known ? state.lit : null));
  const title = known === null ? capital(named ?? key) : metric(known).title;
  const unit = known === null ? '' : metric(known).unit;
  const reading = line === null ? undefined : valueAt(line, at);
  const otherReading = other === null ? undefined : valueAt(other, at);
  const spoken = [
    ...(reading
      ? [`${thousands(reading.x)} ${axis.unit}`, `${significant(reading.y)} ${unit}`]
      : []),
    ...(otherReading ? [`other log ${significant(otherReading.y)}`] : []),
  ];
  return (
    <figure
      className="card chart log-chart"
      aria-label={title}
      data-series={key}
      data-metrics={known ?? undefined}
      data-lit={lit === null ? undefined : true}
    >
      <figcaption className="row chart-head">
        <h3>{title}</h3>
        <span className="log-value">
          {reading === undefined ? '–' : `${significant(reading.y)} ${unit}`}
          {reading === undefined || at === null ? null : (
            <small>
              {' '}
              at {thousands(reading.x)} {axis.unit}
            </small>
          )}
          {otherReading === undefined ? null : (
            <small className="log-beside"> other log {significant(otherReading.y)}</small>
          )}
        </span>
      </figcaption>
      <div ref={ref} className="plot" style={{ height: large ? LARGE : HEIGHT }}>
        {line === null || width === 0 ? null : (
          <Plot
            {...{ line, other, width, spans, lit, at, title }}
            height={large ? LARGE : HEIGHT}
            spoken={spoken.map((text) => text.trim()).join(', ')}
          />
        )}
      </div>
      <p className="chart-meaning">
        {known === null && named === undefined ? 'Shown as logged.' : <code>{key}</code>}
        {differs === null ? null : `. Differs slightly: ${differs}.`}
      </p>
    </figure>
  );
}

interface PlotProps {
  readonly line: Line;
  readonly other: Line | null;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** The position and the values there, for screen readers. */
  readonly spoken: string;
  readonly spans: readonly LogSpan[];
  /** Highlighted evidence of this series; its iterations are positions on the axis. */
  readonly lit: Lit | null;
  readonly at: number | null;
}

/** A shorter movement is a click, not a drag. */
const DRAG_PX = 5;

function Plot({ line, other, width, height, title, spoken, spans, lit, at }: PlotProps) {
  const plot = {
    width: Math.max(1, width - margin.left - margin.right),
    height: height - topMargin(false) - margin.bottom,
  };
  const zoom = useLogView((view) => view.zoom);
  const [drag, setDrag] = useState<readonly [from: number, to: number] | null>(null);
  const lines = useMemo(() => (other === null ? [line] : [line, other]), [line, other]);
  const [from, to] = extentX(lines, 'linear') ?? [0, 1];
  const whole: Scale = { kind: 'linear', from, to: to > from ? to : from + 1 };
  const x = (zoom === null ? null : partOf(whole, zoom[0], zoom[1])) ?? whole;
  const y = levelScale(...(extentY(lines, x, plot.width, 'linear') ?? [0, 1]));
  const hasEpisodes = useEpisodes(({ summary }) => summary !== null);
  // Where the pointer was pressed, and touch positions with the value first touched.
  const began = useRef<number | null>(null);
  const fingers = useRef(new Map<number, Held>());
  const placeOf = (event: PointerEvent<HTMLElement>) => {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return Math.max(0, Math.min(plot.width, left));
  };
  const positionAt = (place: number) => valueAtShare(x, place / plot.width);
  const zoomWithin = (from: number, to: number) => {
    const part = partOf(whole, from, to);
    zoomTo(part === null ? null : [part.from, part.to]);
  };
  const pressed = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    const place = placeOf(event);
    const value = positionAt(place);
    if (event.pointerType === 'touch') {
      fingers.current.set(event.pointerId, { place, value });
      // The readout of a touch stays until the focus leaves.
      event.currentTarget.focus({ preventScroll: true });
    } else event.currentTarget.setPointerCapture(event.pointerId);
    began.current = fingers.current.size > 1 ? null : place;
    pointAt(value);
  };
  const moved = (event: PointerEvent<HTMLElement>) => {
    const place = placeOf(event);
    const finger = fingers.current.get(event.pointerId);
    if (finger !== undefined && fingers.current.size > 1) {
      fingers.current.set(event.pointerId, { ...finger, place });
      const next = scaleThrough('linear', plot.width, [...fingers.current.values()]);
      if (next !== null) zoomWithin(next.from, next.to);
      return;
    }
    const value = positionAt(place);
    pointAt(value);
    // One finger moves the crosshair; a mouse button selects a range.
    if (finger !== undefined) fingers.current.set(event.pointerId, { place, value });
    else if (began.current !== null) setDrag([began.current, place]);
  };
  /** Ends a drag and returns where it began. */
  const dropped = (event: PointerEvent<HTMLElement>) => {
    const start = began.current;
    began.current = null;
    fingers.current.delete(event.pointerId);
    setDrag(null);
    return start;
  };
  const released = (event: PointerEvent<HTMLElement>) => {
    const start = dropped(event);
    if (start === null) return;
    const place = placeOf(event);
    const [begin, end] = [Math.min(start, place), Math.max(start, place)];
    if (end - begin < DRAG_PX) viewStepNear(positionAt(start));
    else if (event.pointerType !== 'touch') zoomWithin(positionAt(begin), positionAt(end));
  };
  const keyed = (event: KeyboardEvent<HTMLElement>) => {
    if (isBrowserShortcut(event)) return;
    const stops = line.curve;
    const first = indexFrom(stops, x.from);
    const last = Math.max(first, indexAfter(stops, x.to) - 1);
    const stop = (index: number) => stops.x[Math.max(first, Math.min(last, index))] ?? x.from;
    // The current position, not the rendered one: keys may arrive faster than frames.
    const stood = useLogView.getState().at;
    const present = stood === null ? last : Math.max(first, indexAfter(stops, stood) - 1);
    const target = indexAtKey(event, { first, present, last }, plot.width);
    const zoomBy = (factor: number) => {
      const value = stop(present);
      zoomWithin(value - factor * (value - x.from), value + factor * (x.to - value));
    };
    if (target !== undefined) pointAt(stop(target));
    else if (event.key === '+' || event.key === '=') zoomBy(0.5);
    else if (event.key === '-') zoomBy(2);
    else if (event.key === '0') zoomTo(null);
    else if (event.key === 'Enter') viewStepNear(stop(present));
    else return;
    event.preventDefault();
  };
  return (
    <>
      <Frame
        {...{ width, x, y }}
        height={height}
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
        role="slider"
        tabIndex={0}
        aria-label={`Crosshair of ${title}`}
        aria-description={hasEpisodes ? 'Enter shows the episodes of the step' : undefined}
        aria-valuemin={x.from}
        aria-valuemax={x.to}
        aria-valuenow={at ?? x.to}
        aria-valuetext={spoken}
        aria-keyshortcuts="ArrowLeft ArrowRight Home End + - 0"
        onPointerDown={pressed}
        onPointerMove={moved}
        onPointerUp={released}
        onPointerCancel={(event) => {
          dropped(event);
          pointAt(null);
        }}
        onPointerLeave={(event) => {
          // After a touch, the readout stays.
          if (event.pointerType !== 'touch') pointAt(null);
        }}
        onDoubleClick={() => zoomTo(null)}
        onKeyDown={keyed}
        onBlur={() => pointAt(null)}
      >
        {drag === null || Math.abs(drag[1] - drag[0]) < DRAG_PX ? null : (
          <div
            className="log-drag"
            style={{ left: Math.min(...drag), width: Math.abs(drag[1] - drag[0]) }}
          />
        )}
        {at === null || at < x.from || at > x.to ? null : (
          <div
            className="crosshair-line"
            style={{ transform: `translateX(${plot.width * shareOf(x, at)}px)` }}
          />
        )}
      </div>
    </>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Values that differ only by rounding are drawn as one level; zeros are drawn on the axis. */
function levelScale(least: number, most: number): Scale {
  const level = Math.max(Math.abs(least), Math.abs(most));
  if (level === 0) return { kind: 'linear', from: 0, to: 1 };
  if (most - least > 1e-9 * level) return roundEnds('linear', least, most, 4);
  const room = 0.5 * level;
  return { kind: 'linear', from: least > 0 ? 0 : least - room, to: most < 0 ? 0 : most + room };
}

const OWN = 'var(--p-aegean)';
const BESIDE = 'var(--p-terracotta)';

/** The finite points of a series, smoothed like the other charts. */
function lineOf({ key, x, y }: LogSeries, weight: number, color = OWN): Line {
  const finite = y.every(Number.isFinite);
  const keep = (values: Float64Array) =>
    finite ? values : values.filter((_, i) => Number.isFinite(y[i]));
  const raw: Curve = {
    ...{ x: keep(x), y: keep(y), low: null, high: null, count: null, version: 0 },
    length: finite ? y.length : y.reduce((count, one) => count + Number(Number.isFinite(one)), 0),
  };
  const smoothed = new Float64Array(raw.length);
  if (weight > 0) smooth(raw.y, smoothed, 0, raw.length, weight);
  return {
    key: `${key} ${color}`,
    series: { name: key, read: () => undefined, color },
    group: { key, name: key, color, runs: [] },
    mark: 'line',
    color,
    dash: color === OWN ? null : '6 4',
    curve: weight > 0 ? { ...raw, y: smoothed } : raw,
    raw: weight > 0 ? raw : null,
    seeds: 1,
  };
}

/** The value at or before a position; the newest without a position. */
function valueAt({ curve, raw }: Line, at: number | null): { x: number; y: number } | undefined {
  const { x, y, length } = raw ?? curve;
  if (length === 0) return undefined;
  const index = at === null ? length - 1 : Math.max(0, indexAfter({ x, length }, at) - 1);
  return { x: x[index] ?? 0, y: y[index] ?? 0 };
}
