import { SegmentedControl } from '@mantine/core';
import type { HeldBack } from '../../../runs/inspection.ts';
import { type Measure, measures } from '../../shell/episode/inspection.ts';
import { heldMarks, heldNames, measureMeanings, measureNames, type Scale } from './measures.ts';

interface LegendProps {
  readonly measure: Measure;
  readonly scale: Scale;
  /** Further reasons for clipping to list, besides the two bounds. */
  readonly marks: readonly HeldBack[];
  readonly onChange: (measure: Measure) => void;
}

/** Selects the measure that colors the tokens, and explains the colors. */
export function Legend({ measure, scale, marks, onChange }: LegendProps) {
  return (
    <div className="row legend">
      <SegmentedControl
        aria-label="Color tokens by"
        value={measure}
        onChange={onChange}
        data={measures.map((value) => ({ value, label: measureNames[value] }))}
      />
      {measure === 'clipped' ? (
        <ul className="legend-marks" data-testid="legend">
          <li>
            <span className="itoken-plain">not clipped</span>
          </li>
          <li>
            <span className="itoken-plain heat-down" style={{ '--heat': '46%' }}>
              {heldMarks.low} lower bound
            </span>
          </li>
          <li>
            <span className="itoken-plain heat-up" style={{ '--heat': '46%' }}>
              {heldMarks.high} upper bound
            </span>
          </li>
          {marks.map((held) => (
            <li key={held}>
              <span className="itoken-plain heat-mark" style={{ '--heat': '46%' }}>
                <span aria-hidden>{heldMarks[held]}</span> {heldNames[held]}
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <div className="legend-scale" data-testid="legend">
          <span
            className={scale.diverging ? 'legend-bar legend-bar-diverging' : 'legend-bar'}
            aria-hidden
          />
          <span className="legend-ticks">
            {scale.ticks.map((tick, place) => (
              <span key={place}>{tick}</span>
            ))}
          </span>
        </div>
      )}
      <p className="legend-meaning">{measureMeanings[measure]}</p>
    </div>
  );
}
