import type { PointerEvent, ReactNode } from 'react';
import { thousands } from '../../runs/numbers.ts';
import { ticksOf } from '../charts/scale.ts';

/** What a finding takes up of its run, on the run's axis. */
export interface Lane {
  readonly title: string;
  /** Between these it began. */
  readonly began: readonly [from: number, to: number];
  /** Where the signs were enough to say so; null where that is not known on this axis. */
  readonly known: number | null;
}

interface TimelineProps {
  /** Stands above it. */
  readonly heading: ReactNode;
  readonly lanes: readonly Lane[];
  /** Ends of the run. */
  readonly from: number;
  readonly to: number;
  /** What the axis counts. */
  readonly unit: string;
  /** Where the crosshair of the charts stands; null where it is nowhere. */
  readonly at?: number | null;
  /** Moves it; null takes it away. */
  readonly onAt?: (at: number | null) => void;
}

/** The run from left to right, a lane for each finding: where it began, and that it lasts. */
export function Timeline({ heading, lanes, from, to, unit, at = null, onAt }: TimelineProps) {
  const length = Math.max(1e-9, to - from);
  const left = (place: number) =>
    `${(100 * Math.min(1, Math.max(0, place - from) / length)).toFixed(2)}%`;
  const moved = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    onAt?.(from + (length * (event.clientX - box.left)) / Math.max(1, box.width));
  };
  return (
    <div className="timeline">
      <div className="timeline-head">
        {heading}
        <p className="timeline-legend" aria-hidden>
          <span className="timeline-key timeline-key-began" /> began in these {unit}
          {lanes.every(({ known }) => known === null) ? null : (
            <>
              <span className="timeline-key timeline-key-known" /> could be known
            </>
          )}
          <span className="timeline-key timeline-key-lasts" /> lasts
        </p>
      </div>
      <div
        className="timeline-lanes"
        aria-hidden
        data-moves={onAt === undefined ? undefined : true}
        onPointerMove={moved}
        onPointerLeave={() => onAt?.(null)}
      >
        {lanes.map(({ title, began: [first, last], known }, place) => (
          <div key={title} className="timeline-lane">
            <span className="timeline-lasts" style={{ left: left(first) }} />
            <span
              className="timeline-began"
              style={{ left: left(first), width: `${(100 * (last - first)) / length}%` }}
            />
            {known === null ? null : (
              <span className="timeline-known" style={{ left: left(known) }} />
            )}
            {/* Where nothing begins. */}
            <b className="finding-number">{place + 1}</b>
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
