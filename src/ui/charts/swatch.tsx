import type { Line } from './lines.ts';
import { Marker } from './marker.tsx';
import type { Series } from './series.ts';

interface SwatchProps {
  readonly series: Series;
  /** The line to imitate, if the chart has several configs. */
  readonly line?: Line;
}

/** A curve's mark beside its name. */
export function Swatch({ series: { mark = 'line', shape, color }, line }: SwatchProps) {
  if (line !== undefined) return <LineSwatch line={line} />;
  if (shape === undefined) {
    return <span className={`swatch swatch-${mark}`} style={{ color: color }} aria-hidden />;
  }
  return (
    <svg className="swatch-shape" viewBox="0 0 20 12" aria-hidden>
      <path d="M0 6H20" stroke={color} strokeWidth={1.5} />
      <Marker shape={shape} x={10} y={6} radius={4.2} color={color} />
    </svg>
  );
}

/** A line as in the chart, in the color of its config. */
export function LineSwatch({ line: { mark, dash, color, series } }: { readonly line: Line }) {
  const dots = mark === 'points' || mark === 'joined';
  return (
    <svg className="swatch-shape" viewBox="0 0 20 12" aria-hidden>
      {mark === 'points' ? null : (
        <path
          d="M0 6H20"
          stroke={color}
          strokeWidth={2}
          {...(dash === null ? {} : { strokeDasharray: dash })}
        />
      )}
      {dots ? (
        <Marker shape={series.shape ?? 'circle'} x={10} y={6} radius={4} color={color} />
      ) : null}
    </svg>
  );
}
