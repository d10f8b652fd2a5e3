import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { EpisodeTurn } from '../../../runs/episode.ts';
import type { InspectedToken, Inspection } from '../../../runs/inspection.ts';
import { outcome } from '../../shell/episode/dialogue.tsx';
import type { Measure } from '../../shell/episode/inspection.ts';
import type { Scale } from './measures.ts';
import { signed } from './measures.ts';
import { Token } from './token.tsx';

/** Turns with more tokens than this show colors without numbers. */
const MOST_NUMBERED = 3;

interface TurnsProps {
  readonly inspection: Inspection;
  readonly measure: Measure;
  readonly scale: Scale;
  /** Null if no token is selected. */
  readonly token: number | null;
  readonly turn: number;
  /** The turn from which the episode differs from the other one. */
  readonly differs?: number | null;
  readonly label: string;
  readonly onToken: (token: number) => void;
  readonly onHover?: (token: number | null) => void;
  readonly onTurn: (turn: number) => void;
}

/** The token that a key moves to; null for keys that move to none. */
export function tokenAfter(
  tokens: readonly InspectedToken[],
  at: number | null,
  key: string,
): number | null {
  const last = tokens.length - 1;
  const here = at ?? last + 1;
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

/** The dialogue, turn by turn, with every token of the agent as a colored button. */
export function Turns(props: TurnsProps) {
  const { inspection, token, turn, label, onToken } = props;
  const { record, tokens } = inspection;
  const list = useRef<HTMLOListElement>(null);
  const chosen = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const box = list.current;
    const item = box?.querySelector<HTMLElement>('[aria-current]');
    if (box === null || item === null || item === undefined) return;
    // Only the list scrolls, and only if the turn is out of view.
    const above = item.offsetTop - box.scrollTop;
    if (above < 0 || above + item.clientHeight > box.clientHeight) {
      box.scrollTop = item.offsetTop - Math.max(0, (box.clientHeight - item.clientHeight) / 2);
    }
  }, [turn, inspection]);
  const move = (event: KeyboardEvent) => {
    const next = tokenAfter(tokens, token, event.key);
    if (next === null || tokens.length === 0) return;
    event.preventDefault();
    onToken(next);
    requestAnimationFrame(() => chosen.current?.focus());
  };
  return (
    <ol
      ref={list}
      className="panel iturns"
      aria-label={label}
      data-testid="inspected-turns"
      onKeyDown={move}
    >
      {record.turns.map((entry, index) => (
        <Turn key={index} {...props} entry={entry} index={index} chosenRef={chosen} />
      ))}
      <li
        className={`iturn iturn-end${record.success ? ' turn-success' : ' turn-failure'}`}
        {...(turn >= record.turns.length ? { 'aria-current': 'step' as const } : {})}
      >
        <span />
        <div>
          <p className="says" translate="no">
            {record.finalObservation}
          </p>
          <p className="outcome">{outcome(record)}</p>
        </div>
      </li>
    </ol>
  );
}

interface TurnProps extends TurnsProps {
  readonly entry: EpisodeTurn;
  readonly index: number;
  readonly chosenRef: React.RefObject<HTMLButtonElement | null>;
}

function Turn({ inspection, entry, index, chosenRef, ...props }: TurnProps) {
  const { measure, scale, token, turn, differs, onToken, onHover, onTurn } = props;
  const own = inspection.tokens.flatMap((one, place) => (one.turn === index ? [place] : []));
  const current = index === turn;
  return (
    <>
      {differs === index ? <li className="iturn-differs">First difference</li> : null}
      <li
        className={`iturn${current ? ' iturn-current' : ''}`}
        {...(current ? { 'aria-current': 'step' as const } : {})}
      >
        <button
          type="button"
          className="turn-number"
          aria-label={`Show turn ${index + 1}`}
          onClick={() => onTurn(index)}
        >
          {index + 1}
        </button>
        <div>
          <p className="says" translate="no">
            {entry.observation}
          </p>
          <p className={own.length > MOST_NUMBERED ? 'itokens itokens-text' : 'itokens'}>
            {own.map((place) => {
              const one = inspection.tokens[place];
              if (one === undefined) return null;
              const chosen = place === token;
              return (
                <Token
                  key={place}
                  {...(chosen ? { ref: chosenRef } : {})}
                  token={one}
                  measure={measure}
                  scale={scale}
                  chosen={chosen}
                  numbered={own.length <= MOST_NUMBERED}
                  onChoose={() => onToken(place)}
                  onHover={(over) => onHover?.(over ? place : null)}
                />
              );
            })}
            {entry.understood ? null : <span className="not-understood">not an action</span>}
            {entry.reward === 0 ? null : (
              <span className="reward">reward {signed(entry.reward)}</span>
            )}
          </p>
        </div>
      </li>
    </>
  );
}
