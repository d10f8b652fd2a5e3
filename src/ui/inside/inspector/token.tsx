import { type CSSProperties, type KeyboardEvent, type Ref, useRef } from 'react';
import type { InspectedToken } from '../../../runs/inspection.ts';
import { isBrowserShortcut } from '../../shell/comfort/keys.ts';
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
  readonly tabIndex?: number;
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

/** The part of a token that keyboard navigation needs. */
type InTurn = Pick<InspectedToken, 'turn'>;

/**
 * The token that a key moves to; null for keys that move to none.
 *
 * @param here the current token; `tokens.length` for the end of the episode
 */
export function tokenAfter(tokens: readonly InTurn[], here: number, key: string): number | null {
  const last = tokens.length - 1;
  const turn = tokens[here]?.turn ?? Number.POSITIVE_INFINITY;
  const firstOf = (wanted: number) => tokens.findIndex((token) => token.turn === wanted);
  switch (key) {
    case 'ArrowRight':
      return Math.min(last, here + 1);
    case 'ArrowLeft':
      return Math.max(0, here - 1);
    case 'ArrowDown': {
      const next = tokens.findIndex((token) => token.turn > turn);
      return next === -1 ? last : next;
    }
    case 'ArrowUp': {
      const before = tokens.findLast((token) => token.turn < turn);
      return before === undefined ? 0 : firstOf(before.turn);
    }
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}

/** Keys that move among tokens; `stop` is the token that the Tab key reaches. */
export function useTokenKeys(
  tokens: readonly InTurn[],
  here: number,
  onMove: (token: number) => void,
) {
  const stop = useRef<HTMLButtonElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (isBrowserShortcut(event)) return;
    const next = tokenAfter(tokens, here, event.key);
    if (next === null || tokens.length === 0) return;
    event.preventDefault();
    onMove(next);
    requestAnimationFrame(() => stop.current?.focus());
  };
  return { stop, onKeyDown };
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
  tabIndex = -1,
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
      tabIndex={tabIndex}
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
