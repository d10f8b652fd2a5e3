import type { PointerEvent, ReactNode } from 'react';
import { thousands } from '../../../runs/numbers.ts';
import { ticksOf } from '../scale.ts';

/** The span of a finding on the axis of its run. */
export interface Lane {
  readonly title: string;
  /** Interval in which it began. */
  readonly began: readonly [from: number, to: number];
  /** Where the evidence was sufficient; null if unknown on this axis. */
  readonly known: number | null;
  /** Where it ended; absent while it lasts. */
  readonly ended?: number;
}

interface TimelineProps {
  readonly heading: ReactNode;
  readonly lanes: readonly Lane[];
  /** Ends of the run. */
  readonly from: number;
  readonly to: number;
  /** Unit of the axis. */
  readonly unit: string;
  /** Writes the title above each lane instead of numbering the lanes. */
  readonly titled?: boolean;
  /** Position of the chart crosshair; null if hidden. */
  readonly at?: number | null;
  /** Moves the crosshair; null hides it. */
  readonly onAt?: (at: number | null) => void;
}

/** The run from left to right with a lane per finding, from its onset to its end. */
export function Timeline({
  heading,
  lanes,
  from,
  to,
  unit,
  titled = false,
  at = null,
  onAt,
}: TimelineProps) {
  const length = Math.max(1e-9, to - from);
  const left = (place: number) =>
    `${(100 * Math.min(1, Math.max(0, place - from) / length)).toFixed(2)}%`;
  const width = (first: number, last: number) => `${(100 * (last - first)) / length}%`;
  const moved = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    onAt?.(from + (length * (event.clientX - box.left)) / Math.max(1, box.width));
  };
  return (
    <div className="timeline">
      <div className="row timeline-head">
        {heading}
        <p className="row timeline-legend" aria-hidden>
          <span>
            <i className="timeline-key timeline-key-began" /> began in these {unit}
          </span>
          {lanes.every(({ known }) => known === null) ? null : (
            <span>
              <i className="timeline-key timeline-key-known" /> detectable
            </span>
          )}
          <span>
            <i className="timeline-key timeline-key-lasts" /> present
          </span>
        </p>
      </div>
      <div
        className="timeline-lanes"
        aria-hidden
        data-moves={onAt === undefined ? undefined : true}
        onPointerMove={moved}
        onPointerLeave={() => onAt?.(null)}
      >
        {lanes.map(({ title, began: [first, last], known, ended }, place) => (
          <div
            key={`${title} ${first}`}
            className="timeline-lane"
            data-titled={titled || undefined}
          >
            <span
              className="timeline-lasts"
              style={{
                left: left(first),
                ...(ended === undefined ? {} : { right: 'auto', width: width(first, ended) }),
              }}
            />
            <span
              className="timeline-began"
              style={{ left: left(first), width: width(first, last) }}
            />
            {known === null ? null : (
              <span className="timeline-known" style={{ left: left(known) }} />
            )}
            {titled ? (
              <span className="timeline-title">{title}</span>
            ) : (
              <b className="finding-number">{place + 1}</b>
            )}
          </div>
        ))}
        {at === null ? null : <i className="timeline-at" style={{ left: left(at) }} />}
      </div>
      <div className="timeline-axis" aria-hidden>
        {ticksOf({ kind: 'linear', from, to: from + length }, 6).map((tick) => (
          <span key={tick} style={{ left: left(tick) }}>
            {thousands(tick)}
          </span>
        ))}
      </div>
    </div>
  );
}
