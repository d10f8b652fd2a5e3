import type { CSSProperties, Ref } from 'react';
import type { InspectedToken } from '../../../runs/inspection.ts';
import type { Measure } from '../../shell/episode/inspection.ts';
import { heatOf, heldMarks, measureNames, measureText, type Scale } from './measures.ts';

interface TokenProps {
  readonly token: InspectedToken;
  readonly measure: Measure;
  readonly scale: Scale;
  readonly chosen: boolean;
  /** Whether its number is also shown below it. */
  readonly numbered: boolean;
  readonly onChoose: () => void;
  /** Called when the mouse enters or leaves the token. */
  readonly onHover?: (over: boolean) => void;
  readonly ref?: Ref<HTMLButtonElement>;
}

declare module 'react' {
  interface CSSProperties {
    /** Intensity of a token's color in percent. */
    '--heat'?: string;
  }
}

export function heatStyle(amount: number): CSSProperties {
  return { '--heat': `${amount}%` };
}

/** A token as a button, colored by a measure, which is also given as text. */
export function Token({
  token,
  measure,
  scale,
  chosen,
  numbered,
  onChoose,
  onHover,
  ref,
}: TokenProps) {
  const { hue, amount } = heatOf(token, measure, scale);
  const text = measureText(token, measure);
  const held = measure === 'clipped' ? token.update?.held : null;
  return (
    <button
      ref={ref}
      type="button"
      className={`itoken heat-${hue}${chosen ? ' itoken-chosen' : ''}`}
      style={heatStyle(amount)}
      tabIndex={chosen ? 0 : -1}
      aria-pressed={chosen}
      aria-label={`Token “${token.text}”, ${measureNames[measure].toLowerCase()} ${text}`}
      title={measure === 'clipped' ? text : `${measureNames[measure]}: ${text}`}
      onClick={onChoose}
      onFocus={onChoose}
      onPointerEnter={({ pointerType }) => onHover?.(pointerType === 'mouse')}
      onPointerLeave={() => onHover?.(false)}
    >
      <span className="itoken-text" translate="no">
        {held == null ? '' : <span aria-hidden>{heldMarks[held]} </span>}
        {token.text}
      </span>
      {numbered ? <span className="itoken-number">{text}</span> : null}
    </button>
  );
}
