import { memo, useMemo } from 'react';
import { margin } from './frame.tsx';
import { type DrawnLine, drawLines, type Line, type PlotScales } from './lines.ts';
import { Marker } from './marker.tsx';
import type { Moments, Span } from './moments.ts';
import { type Scale, shareOf } from './scale.ts';
import type { Level } from './series.ts';

const layers = { thin: 0, dashed: 1, steps: 2, line: 3, joined: 4, points: 5 } as const;
const widths = { thin: 1, dashed: 1.5, steps: 1.5, line: 2, joined: 1.5, points: 0 } as const;

interface CurvesProps {
  readonly lines: readonly Line[];
  /** Labels of the levels; the frame draws the lines. */
  readonly levels: readonly Level[];
  readonly scales: PlotScales;
  readonly moments: Moments;
  /** Onsets of the findings described beside the charts. */
  readonly spans: readonly Span[];
  /** Highlighted evidence. */
  readonly lit: Span | null;
  readonly large: boolean;
}

/** Minimum width of a span. */
const SPAN_PX = 6;

/** The curves, drawn over the frame. */
export const Curves = memo(function Curves(props: CurvesProps) {
  const { lines, levels, scales, moments, spans, lit, large } = props;
  const { x, width, height } = scales;
  // Points are drawn over lines, and solid lines over dashed ones.
  const ordered = useMemo(
    () => [...lines].sort((left, right) => layers[left.mark] - layers[right.mark]),
    [lines],
  );
  const drawn = drawLines(ordered, scales);
  // With many lines, the raw values behind each one are drawn fainter.
  const faintness = drawn.length > 8 ? 0.12 : 0.32;
  return (
    <svg
      className="curves"
      width={width}
      height={height}
      style={{ right: margin.right, bottom: margin.bottom }}
      aria-hidden
    >
      {spans.map((span) => (
        <Shade key={span.text} span={span} scales={scales} kind="finding" />
      ))}
      {lit === null ? null : <Shade span={lit} scales={scales} kind="evidence" />}
      {drawn.map(({ line, area }) =>
        area === null ? null : (
          <path key={line.key} className="curve-band" d={area} fill={line.color} opacity={0.18} />
        ),
      )}
      {drawn.map(({ line, faint }) =>
        faint === null ? null : (
          <path
            key={line.key}
            className="curve-raw"
            d={faint}
            fill="none"
            stroke={line.color}
            strokeOpacity={faintness}
          />
        ),
      )}
      {drawn.map((one) => (
        <Curve key={one.line.key} drawn={one} large={large} />
      ))}
      <path
        className="evaluation-marks"
        d={marksPath(moments.evaluations, x, width, height)}
        stroke="var(--p-faint)"
      />
      {moments.turned.length === 0 ? null : (
        <path
          className="turned-marks"
          d={turnedPath(
            moments.turned.map(({ at }) => at),
            x,
            width,
            height,
          )}
          fill="none"
          stroke="var(--p-plum)"
          strokeWidth={1.5}
        />
      )}
      {moments.warnings.length === 0 ? null : (
        <path
          className="warning-marks"
          d={warningPath(
            moments.warnings.map(({ at }) => at),
            x,
            width,
          )}
          fill="var(--p-warn)"
        />
      )}
      {levels.map(({ value, name, above = false }) =>
        name === undefined ? null : (
          // Outlined in the card's color, because a curve may cross it.
          <text
            key={value}
            x={width - 5}
            y={height * (1 - shareOf(scales.y, value)) + (above ? -5 : 13)}
            textAnchor="end"
            fontSize="var(--text-xs)"
            fill="var(--p-soft)"
            stroke="var(--p-card)"
            strokeWidth={4}
            strokeLinejoin="round"
            paintOrder="stroke"
          >
            {name}
          </text>
        ),
      )}
    </svg>
  );
});

const shades = {
  finding: { fill: 'var(--p-warn)', opacity: 0.14 },
  evidence: { fill: 'var(--p-aegean)', opacity: 0.22 },
} as const;

interface ShadeProps {
  readonly span: Span;
  readonly scales: PlotScales;
  readonly kind: keyof typeof shades;
}

/** A range of the x axis over the full height. */
function Shade({ span: { at, to }, scales: { x, width, height }, kind }: ShadeProps) {
  const [from, end] = [width * shareOf(x, at), width * shareOf(x, to)];
  const wide = Math.max(SPAN_PX, end - from);
  if (end < 0 || from > width) return null;
  return (
    <rect
      className={`${kind}-span`}
      x={(from + end - wide) / 2}
      width={wide}
      height={height}
      {...shades[kind]}
    />
  );
}

function Curve({ drawn, large }: { readonly drawn: DrawnLine; readonly large: boolean }) {
  const { line, path, dots } = drawn;
  const { mark, color, dash, series } = line;
  const measured = mark === 'points' || mark === 'joined';
  return (
    <g data-series={series.name}>
      {mark === 'points' && dots.length > 0 ? null : (
        <path
          className="curve"
          d={path}
          fill="none"
          stroke={color}
          // Too many points to distinguish are drawn as a line.
          strokeWidth={mark === 'points' ? 1.5 : widths[mark]}
          strokeLinejoin="round"
          {...(mark === 'thin' ? { strokeOpacity: 0.6 } : {})}
          {...(dash === null ? {} : { strokeDasharray: dash })}
        />
      )}
      {dots.map(({ x, y }) => (
        <Marker
          key={x}
          shape={series.shape ?? 'circle'}
          x={x}
          y={y}
          radius={measured ? (large ? 4 : 3) : 2.5}
          color={color}
        />
      ))}
    </g>
  );
}

/** Positions of marks, each at least `apart` pixels from the previous one. */
function places(marks: readonly number[], x: Scale, width: number, apart: number): number[] {
  let last = Number.NEGATIVE_INFINITY;
  return marks.flatMap((at) => {
    const place = Math.round(width * shareOf(x, at));
    if (!(place >= 0 && place <= width) || place < last + apart) return [];
    last = place;
    return [place];
  });
}

/** Ticks on the x axis. */
const marksPath = (marks: readonly number[], x: Scale, width: number, height: number) =>
  places(marks, x, width, 3)
    .map((place) => `M${place} ${height}v-4`)
    .join('');

/** Vertical lines with a ring at the top: a setting was changed. */
const turnedPath = (marks: readonly number[], x: Scale, width: number, height: number) =>
  places(marks, x, width, 2)
    .map((place) => `M${place} 8V${height}M${place - 4} 4a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`)
    .join('');

/** Triangles at the top, pointing down at the event. */
const warningPath = (marks: readonly number[], x: Scale, width: number) =>
  places(marks, x, width, 4)
    .map((place) => `M${place - 5} 0h10l-5 8z`)
    .join('');
