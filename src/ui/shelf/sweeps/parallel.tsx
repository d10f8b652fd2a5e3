import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, useCallback, useMemo, useRef } from 'react';
import type { TrialSummary } from '../../../sweep/summary.ts';
import { type Brush, brushOf, movedBy, snapped } from './brush.ts';
import { brushAxis, chooseTrial, pointAt, useSweep } from './store.ts';
import { type Axis, nearestTrial, pathOf } from './trials.ts';

interface ParallelProps {
  readonly axes: readonly Axis[];
  /** Best first. */
  readonly trials: readonly TrialSummary[];
  readonly isIn: (trial: TrialSummary) => boolean;
  /** From 0 for the worst to 1 for the best; null for a trial without a value. */
  readonly goodness: (trial: TrialSummary) => number | null;
}

const HEIGHT = 320;
const TOP = 56;
const BOTTOM = 18;
const SIDE = 64;
/** Minimum pixels between two axes; on narrow screens the plot scrolls. */
const LEAST_GAP = 128;
/** Maximum number of lines: the best ones. */
export const MOST_LINES = 1000;
/** Maximum distance of the pointer from a line to select it. */
const NEAR_PX = 12;
/** Distance from an axis within which the pointer brushes. */
const BRUSH_PX = 14;
/** A shorter movement along an axis is a click. */
const LEAST_BRUSH = 0.02;

const yOf = (share: number) => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
const shareAt = (y: number) =>
  Math.max(0, Math.min(1, (HEIGHT - BOTTOM - y) / (HEIGHT - TOP - BOTTOM)));

/**
 * Parallel coordinates: every trial is a line across the axes of its parameters and the metric;
 * each axis can be brushed.
 */
export function Parallel({ axes, trials, isIn, goodness }: ParallelProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const pointed = useSweep((sweep) => sweep.pointed);
  const chosen = useSweep((sweep) => sweep.chosen);
  const svg = useRef<SVGSVGElement>(null);
  // The axis being brushed, and the start position.
  const held = useRef<{ axis: Axis; from: number; moved: boolean } | null>(null);
  const whole = Math.max(width, 2 * SIDE + LEAST_GAP * (axes.length - 1));
  const gap = axes.length < 2 ? 0 : (whole - 2 * SIDE) / (axes.length - 1);
  const xOf = useCallback((axis: number) => SIDE + gap * axis, [gap]);
  const drawn = useMemo(() => trials.slice(0, MOST_LINES), [trials]);
  const lines = useMemo(
    () => drawn.map((trial) => ({ trial, path: pathOf(axes, trial, xOf, yOf) })),
    [drawn, axes, xOf],
  );
  const place = (event: PointerEvent) => {
    const box = svg.current?.getBoundingClientRect();
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
  };
  const near = (event: PointerEvent) =>
    nearestTrial(axes, drawn.filter(isIn), place(event), xOf, yOf, NEAR_PX);
  const pressed = (event: PointerEvent<SVGElement>) => {
    const { x, y } = place(event);
    const axis = axes.find((_, i) => Math.abs(xOf(i) - x) <= BRUSH_PX);
    if (axis === undefined || event.button !== 0 || y < TOP - BRUSH_PX) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    held.current = { axis, from: shareAt(y), moved: false };
  };
  const moved = (event: PointerEvent) => {
    const hold = held.current;
    if (hold === null) {
      pointAt(near(event));
      return;
    }
    const to = shareAt(place(event).y);
    if (!hold.moved && Math.abs(to - hold.from) < LEAST_BRUSH) return;
    held.current = { ...hold, moved: true };
    const brush: Brush = [Math.min(hold.from, to), Math.max(hold.from, to)];
    brushAxis(hold.axis.id, snapped(brush, hold.axis.choices));
  };
  const released = (event: PointerEvent) => {
    const hold = held.current;
    held.current = null;
    if (hold === null) {
      const trial = near(event);
      if (trial !== null) chooseTrial(trial);
      // A click on an axis removes its brush.
    } else if (!hold.moved) brushAxis(hold.axis.id, [0, 1]);
  };
  const front = [chosen, pointed].flatMap(
    (number) => lines.find(({ trial }) => trial.number === number) ?? [],
  );
  return (
    <div ref={ref} className="sweep-scroll">
      {width === 0 ? null : (
        // biome-ignore lint/a11y/useSemanticElements: SVG cannot contain form elements.
        <svg
          ref={svg}
          className="sweep-parallel"
          width={whole}
          height={HEIGHT}
          role="group"
          aria-label={`${drawn.length} trials across ${axes.length} axes`}
          onPointerDown={pressed}
          onPointerMove={moved}
          onPointerLeave={() => pointAt(null)}
          onPointerUp={released}
          onPointerCancel={() => {
            held.current = null;
          }}
        >
          <g aria-hidden fill="none">
            {lines.map(({ trial, path }) =>
              isIn(trial) ? null : <path key={trial.number} d={path} className="sweep-line-out" />,
            )}
            {lines
              .toReversed()
              .map(({ trial, path }) =>
                isIn(trial) ? (
                  <path
                    key={trial.number}
                    d={path}
                    data-trial={trial.number}
                    className="sweep-line"
                    {...(goodness(trial) === null ? { strokeDasharray: '3 4' } : {})}
                    style={{ stroke: colorOf(goodness(trial)) }}
                  />
                ) : null,
              )}
            {front.map(({ trial, path }) => (
              <path key={trial.number} d={path} className="sweep-line-front" />
            ))}
          </g>
          {axes.map((axis, i) => (
            <AxisView key={axis.id} axis={axis} x={xOf(i)} room={gap} />
          ))}
        </svg>
      )}
    </div>
  );
}

/** From gray for the worst to red for the best. */
export function colorOf(goodness: number | null): string {
  if (goodness === null) return 'var(--p-phase)';
  return `color-mix(in oklab, var(--p-terracotta) ${Math.round(100 * goodness)}%, var(--p-phase))`;
}

interface AxisProps {
  readonly axis: Axis;
  readonly x: number;
  /** Pixels to the next axis. */
  readonly room: number;
}

/** An axis with ticks, its brush, and a handle at each end of the brush. */
function AxisView({ axis, x, room }: AxisProps) {
  const brush = brushOf(
    useSweep((sweep) => sweep.brushes),
    axis.id,
  );
  const letters = Math.max(8, Math.floor((room === 0 ? 200 : room) / 7.4));
  return (
    <g data-axis={axis.id}>
      <text className="sweep-axis-title" x={x} y={16} textAnchor="middle">
        <title>{axis.id}</title>
        {shortened(axis.title, letters)}
      </text>
      <line className="sweep-axis" x1={x} x2={x} y1={yOf(0)} y2={yOf(1)} />
      <rect
        className="sweep-brush"
        x={x - 4}
        width={8}
        y={yOf(brush[1])}
        height={yOf(brush[0]) - yOf(brush[1])}
        data-all={brush[0] <= 0 && brush[1] >= 1 ? true : undefined}
      />
      <g aria-hidden>
        {axis.ticks.map(({ share, text }) => (
          <text key={share} className="sweep-tick" x={x + 9} y={yOf(share) + 4}>
            {shortened(text, letters - 2)}
          </text>
        ))}
      </g>
      <rect
        className="sweep-brush-ground"
        x={x - BRUSH_PX}
        width={2 * BRUSH_PX}
        y={TOP - 4}
        height={HEIGHT - TOP - BOTTOM + 8}
      />
      <Handle axis={axis} brush={brush} end="to" x={x} />
      <Handle axis={axis} brush={brush} end="from" x={x} />
    </g>
  );
}

interface HandleProps {
  readonly axis: Axis;
  readonly brush: Brush;
  readonly end: 'from' | 'to';
  readonly x: number;
}

/** One end of a brush, moved with keys. */
function Handle({ axis, brush, end, x }: HandleProps) {
  const at = end === 'from' ? brush[0] : brush[1];
  const y = yOf(at);
  const pressed = (event: KeyboardEvent) => {
    const next = movedBy(event.key, brush, end, axis.choices);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    brushAxis(axis.id, next);
  };
  const outward = end === 'from' ? 1 : -1;
  return (
    <g
      className="sweep-handle"
      role="slider"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`${axis.title}, ${end === 'from' ? 'from' : 'up to'}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(100 * at)}
      aria-valuetext={axis.format(end === 'from' ? at + 1e-9 : at - 1e-9)}
      onKeyDown={pressed}
    >
      <rect x={x - 13} width={26} y={end === 'from' ? y : y - 26} height={26} fill="transparent" />
      <path d={`M${x - 8} ${y}h16l-4 ${6 * outward}h-8z`} />
    </g>
  );
}

const shortened = (text: string, letters: number) =>
  text.length > letters ? `${text.slice(0, Math.max(1, letters - 1))}…` : text;
