import type { Line } from './lines.ts';
import { Marker } from './marker.tsx';
import type { Series } from './series.ts';

interface SwatchProps {
  readonly series: Series;
  /** The line to imitate, if the chart has several configs. */
  readonly line?: Line;
}

/** A curve's mark beside its name. */
export function Swatch({ series, line }: SwatchProps) {
  const { mark = 'line', shape } = series;
  const { color, dash } = line ?? { ...series, dash: null };
  if (line === undefined && shape === undefined) {
    return <span className={`swatch swatch-${mark}`} style={{ color: color }} aria-hidden />;
  }
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
      {dots ? <Marker shape={shape ?? 'circle'} x={10} y={6} radius={4} color={color} /> : null}
    </svg>
  );
}
