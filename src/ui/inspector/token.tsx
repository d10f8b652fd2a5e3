import type { CSSProperties, Ref } from 'react';
import type { InspectedToken } from '../../runs/inspection.ts';
import {
  heatOf,
  heldMarks,
  type Measure,
  measureNames,
  measureText,
  type Scale,
} from './measures.ts';

interface TokenProps {
  readonly token: InspectedToken;
  readonly measure: Measure;
  readonly scale: Scale;
  readonly chosen: boolean;
  /** Say the number below it as well. */
  readonly numbered: boolean;
  readonly onChoose: () => void;
  /** A mouse is over it, or has left it. */
  readonly onHover?: (over: boolean) => void;
  readonly ref?: Ref<HTMLButtonElement>;
}

declare module 'react' {
  interface CSSProperties {
    /** Percent of the hue in a token's colour. */
    '--heat'?: string;
  }
}

export function heatStyle(amount: number): CSSProperties {
  return { '--heat': `${amount}%` };
}

/** A token as a button, coloured by a measure; with it the same in words. */
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
      aria-label={`${token.text}, ${measureNames[measure].toLowerCase()} ${text}`}
      title={`${measureNames[measure]}: ${text}`}
      onClick={onChoose}
      onFocus={onChoose}
      onPointerEnter={({ pointerType }) => onHover?.(pointerType === 'mouse')}
      onPointerLeave={() => onHover?.(false)}
    >
      <span className="itoken-text">
        {held == null ? '' : <span aria-hidden>{heldMarks[held]} </span>}
        {token.text}
      </span>
      {numbered ? <span className="itoken-number">{text}</span> : null}
    </button>
  );
}
