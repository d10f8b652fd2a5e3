import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { isBrowserShortcut } from '../shell/comfort/keys.ts';
import type { ChartRun } from './chart-data.ts';
import {
  hideCrosshair,
  moveCrosshair,
  showAll,
  useCrosshair,
  zoomWithin,
} from './chart-settings.ts';
import { type Curve, indexAfter, indexFrom } from './curve.ts';
import { margin } from './frame.tsx';
import { indexAtKey } from './index-at-key.ts';
import { type Line, type LineReading, type PlotScales, readLine } from './lines.ts';
import type { Moment } from './moments.ts';
import { type Held, type Scale, scaleThrough, shareOf, valueAtShare } from './scale.ts';
import { Swatch } from './swatch.tsx';
import { type AxisName, xAxes } from './x-axis.ts';

type Format = (value: number | undefined) => string;

interface CrosshairProps {
  readonly chart: string;
  readonly title: string;
  readonly axis: AxisName;
  /** The run whose iterations it snaps to. */
  readonly run: ChartRun;
  readonly lines: readonly Line[];
  readonly moments: readonly Moment[];
  readonly scales: PlotScales;
  /** The x axis without zoom. */
  readonly whole: Scale;
  readonly format: Format;
}

/** Up to this page width charts are stacked in one column. */
const NARROW = '(max-width: 45em)';
/** A shorter movement is a click, not a drag. */
const DRAG_PX = 5;
/** A chart that only follows the crosshair draws dots for up to this number of lines. */
const MOST_DOTS = 8;
/** The readout: its maximum width, and its distance from the crosshair and the page's edge. */
const TIP_PX = 420;
const TIP_GAP_PX = 12;
const TIP_EDGE_PX = 8;
/**
 * One crosshair across all charts, moved in one of them by pointer or arrow keys. A drag zooms to
 * the range it covers, a pinch zooms and pans, a double click resets.
 */
export function Crosshair(props: CrosshairProps) {
  const { chart, title, axis, run, lines, scales, whole, format } = props;
  const { x, y, width, height } = scales;
  const at = useCrosshair((crosshair) => crosshair.at);
  const here = useCrosshair((crosshair) => crosshair.chart === chart);
  // Start and current position of a drag, in pixels.
  const [drag, setDrag] = useState<readonly [from: number, to: number] | null>(null);
  const began = useRef<number | null>(null);
  // Touch positions, each with the value first touched.
  const fingers = useRef(new Map<number, Held>());
  const frame = useRef(0);
  const root = useRef<HTMLDivElement>(null);
  const { read, say } = xAxes[axis];
  const track = run.tracks.get(read, read);
  const stops: Curve = track.follow(run.rows);
  const first = indexFrom(stops, x.from);
  const last = Math.max(first, indexAfter(stops, x.to) - 1);
  const stop = (index: number) => stops.x[Math.max(first, Math.min(last, index))] ?? x.from;

  /** All charts share one track, and another chart may have reset it to older rows. */
  const catchUp = () => track.follow(run.rows);
  const moveTo = (place: number) => {
    catchUp();
    const value = valueAtShare(x, Math.max(0, Math.min(1, place / width)));
    const next = indexFrom(stops, value);
    const [before, after] = [stop(next - 1), stop(next)];
    const nearest = value - before < after - value ? before : after;
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => moveCrosshair(chart, nearest));
  };
  const leave = () => {
    cancelAnimationFrame(frame.current);
    hideCrosshair();
  };
  // A tap elsewhere hides the crosshair; taps do not always move the focus.
  const stands = here && at !== null;
  useEffect(() => {
    if (!stands) return;
    const elsewhere = ({ target }: Event) => {
      if (target instanceof Node && root.current?.contains(target) === true) return;
      cancelAnimationFrame(frame.current);
      hideCrosshair();
    };
    document.addEventListener('pointerdown', elsewhere);
    return () => document.removeEventListener('pointerdown', elsewhere);
  }, [stands]);
  const placeOf = (event: PointerEvent<HTMLElement>) =>
    Math.max(0, Math.min(width, event.clientX - event.currentTarget.getBoundingClientRect().left));

  const holdAt = (event: PointerEvent<HTMLElement>) => {
    const place = placeOf(event);
    fingers.current.set(event.pointerId, { place, value: valueAtShare(x, place / width) });
  };
  const pinch = (event: PointerEvent<HTMLElement>) => {
    const finger = fingers.current.get(event.pointerId);
    if (finger === undefined) return;
    fingers.current.set(event.pointerId, { ...finger, place: placeOf(event) });
    const next = scaleThrough(x.kind, width, [...fingers.current.values()]);
    if (next === null) return;
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => zoomWithin(whole, next.from, next.to));
  };

  const pressed = (event: PointerEvent<HTMLElement>) => {
    // Horizontal touch moves the crosshair; vertical touch scrolls the page.
    if (event.pointerType === 'touch') {
      // The readout stays after the finger is lifted, until a tap elsewhere.
      event.currentTarget.focus({ preventScroll: true });
      holdAt(event);
      if (fingers.current.size > 1) leave();
      else moveTo(placeOf(event));
      return;
    }
    if (event.button !== 0) {
      moveTo(placeOf(event));
      return;
    }
    began.current = placeOf(event);
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const moved = (event: PointerEvent<HTMLElement>) => {
    if (fingers.current.size > 1) {
      pinch(event);
      return;
    }
    if (fingers.current.has(event.pointerId)) holdAt(event);
    const place = placeOf(event);
    moveTo(place);
    const from = began.current;
    if (from !== null && (drag !== null || Math.abs(place - from) >= DRAG_PX)) {
      setDrag([from, place]);
    }
  };
  /** Ends a drag and returns where it began. */
  const dropped = (event: PointerEvent<HTMLElement>) => {
    fingers.current.delete(event.pointerId);
    const start = began.current;
    began.current = null;
    setDrag(null);
    return start;
  };
  const released = (event: PointerEvent<HTMLElement>) => {
    const start = dropped(event);
    if (start === null) return;
    // On a busy page the rendered drag lags behind the pointer.
    const end = placeOf(event);
    const [from, to] = [Math.min(start, end), Math.max(start, end)];
    if (to - from < DRAG_PX) return;
    zoomWithin(whole, valueAtShare(x, from / width), valueAtShare(x, to / width));
  };

  const keyed = (event: KeyboardEvent<HTMLElement>) => {
    if (isBrowserShortcut(event)) return;
    catchUp();
    // Reads the current position, not the rendered one: on a busy page keys arrive faster than
    // frames.
    const { at: stood } = useCrosshair.getState();
    const present = stood === null ? last : Math.max(first, indexAfter(stops, stood) - 1);
    const target = indexAtKey(event, { first, present, last }, width);
    if (target !== undefined) moveCrosshair(chart, stop(target));
    else if (event.key === '+' || event.key === '=') zoomAbout(stop(present), 0.5);
    else if (event.key === '-') zoomAbout(stop(present), 2);
    else if (event.key === '0') showAll();
    else if (event.key === 'Escape') leave();
    else return;
    event.preventDefault();
  };
  const zoomAbout = (value: number, factor: number) => {
    const share = shareOf(x, value);
    const [from, to] = [share - share * factor, share + (1 - share) * factor];
    zoomWithin(whole, valueAtShare(x, from), valueAtShare(x, to));
  };

  const position = at ?? stop(last);
  // Following charts with many lines skip the dots, so that the crosshair keeps up with the
  // pointer.
  const isRead = here || (at !== null && lines.length <= MOST_DOTS);
  const readings = useMemo(
    () =>
      (isRead ? lines : []).flatMap((line) => {
        const reading = readLine(line, position);
        return reading === null ? [] : [{ line, reading }];
      }),
    [isRead, lines, position],
  );
  const place = width * shareOf(x, position);
  const inSight = at !== null && place >= -0.5 && place <= width + 0.5;
  const near = here
    ? props.moments.filter((moment) => Math.abs(width * shareOf(x, moment.at) - place) < 4)
    : [];
  // In a long run, one pixel covers several evaluations.
  const happened = [...new Set(near.map(({ text }) => text))];
  // A narrow page has no room beside the crosshair.
  const below = matchMedia(NARROW).matches;
  // The readout stays on the page, on the side of the crosshair with more room.
  const after = place <= width / 2;
  const room =
    document.documentElement.clientWidth -
    (root.current?.getBoundingClientRect().left ?? 0) -
    place -
    TIP_GAP_PX -
    TIP_EDGE_PX;
  const beside = after
    ? { left: place + TIP_GAP_PX, maxWidth: Math.min(TIP_PX, room) }
    : { right: width - place + TIP_GAP_PX };
  const spoken = [
    say(position),
    ...readings.map(({ line, reading }) => `${nameOf(line, lines)} ${format(reading.value)}`),
    ...happened,
  ].join(', ');
  return (
    <div
      ref={root}
      className="crosshair"
      style={{ width, height, right: margin.right, bottom: margin.bottom }}
      role="slider"
      tabIndex={0}
      aria-label={`Crosshair of ${title}`}
      aria-valuemin={stop(first)}
      aria-valuemax={stop(last)}
      aria-valuenow={position}
      aria-valuetext={spoken}
      aria-keyshortcuts="ArrowLeft ArrowRight Home End + - 0 Escape"
      onPointerDown={pressed}
      onPointerMove={moved}
      onPointerUp={released}
      onPointerCancel={(event) => {
        dropped(event);
        leave();
      }}
      onPointerLeave={(event) => {
        if (event.pointerType !== 'touch') leave();
      }}
      onDoubleClick={showAll}
      onKeyDown={keyed}
      onFocus={() => moveCrosshair(chart, position)}
      onBlur={leave}
    >
      {drag === null ? null : (
        <div
          className="brush"
          style={{ left: Math.min(...drag), width: Math.abs(drag[1] - drag[0]) }}
        />
      )}
      {inSight ? (
        <>
          <div className="crosshair-line" style={{ transform: `translateX(${place}px)` }} />
          {readings.map(({ line, reading }) => {
            const top = height * (1 - shareOf(y, reading.smoothed ?? reading.value));
            return top >= -1 && top <= height + 1 ? (
              <i
                key={line.key}
                className="crosshair-dot"
                style={{ transform: `translate(${place}px, ${top}px)`, background: line.color }}
              />
            ) : null;
          })}
          {here && drag === null ? (
            <div
              className={below ? 'chart-tip chart-tip-below' : 'chart-tip'}
              data-testid="readout"
              style={below ? {} : beside}
            >
              <div className="chart-tip-at">{say(position)}</div>
              {happened.map((text) => (
                <div key={text} className="chart-tip-moment">
                  {text}
                </div>
              ))}
              <Readings readings={readings} lines={lines} format={format} />
            </div>
          ) : null}
        </>
      ) : null}
    </div>
  );
}

/** Label of a line: its series, its config, or both, as needed to be unique. */
export function nameOf({ series, group }: Line, lines: readonly Line[]): string {
  const configs = new Set(lines.map((line) => line.group.key)).size;
  const kinds = new Set(lines.map((line) => line.series.name)).size;
  if (configs < 2) return series.name;
  return kinds < 2 ? group.name : `${group.name}, ${series.name}`;
}

interface ReadingsProps {
  readonly readings: readonly { readonly line: Line; readonly reading: LineReading }[];
  readonly lines: readonly Line[];
  readonly format: Format;
}

/** With several configs, lines are grouped under their config's name. */
function Readings({ readings, lines, format }: ReadingsProps) {
  const groups = new Set(lines.map(({ group }) => group));
  const several = groups.size > 1;
  return (
    <table>
      {[...groups].map((group) => (
        <tbody key={group.key}>
          {several ? (
            <tr>
              <th scope="rowgroup" colSpan={3} className="chart-tip-config">
                {group.name}
              </th>
            </tr>
          ) : null}
          {readings.map(({ line, reading }) =>
            line.group !== group ? null : (
              <tr key={line.key}>
                <th scope="row">
                  <Swatch series={line.series} {...(several ? { line } : {})} />
                  {line.series.name}
                </th>
                <td>
                  <b>{format(reading.value)}</b>
                </td>
                <td>{aside(reading, line, format)}</td>
              </tr>
            ),
          )}
        </tbody>
      ))}
    </table>
  );
}

/** Additional information beside the value. */
function aside({ smoothed, range, seeds }: LineReading, line: Line, format: Format): string {
  const parts: string[] = [];
  if (smoothed !== null) parts.push(`smoothed ${format(smoothed)}`);
  if (range !== null) parts.push(`${format(range[0])} to ${format(range[1])}`);
  if (seeds !== null) {
    parts.push(seeds === line.seeds ? `${seeds} seeds` : `${seeds} of ${line.seeds} seeds`);
  }
  return parts.join(', ');
}
