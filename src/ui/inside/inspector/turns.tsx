import { useEffect, useRef, useState } from 'react';
import type { EpisodeTurn } from '../../../runs/episode.ts';
import type { Inspection } from '../../../runs/inspection.ts';
import { outcome } from '../../shell/episode/dialogue.tsx';
import type { Measure } from '../../shell/episode/inspection.ts';
import type { Scale } from './measures.ts';
import { signed } from './measures.ts';
import { Token, useTokenKeys } from './token.tsx';

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

/** The dialogue, turn by turn, with every token of the agent as a colored button. */
export function Turns(props: TurnsProps) {
  const { inspection, token, turn, label } = props;
  const { record, tokens } = inspection;
  const list = useRef<HTMLOListElement>(null);
  const [visited, setVisited] = useState(0);
  const onToken = (place: number) => {
    setVisited(place);
    props.onToken(place);
  };
  const next = tokens.findIndex((one) => one.turn >= turn);
  const ofTurn = next === -1 ? tokens.length : next;
  // Without a selected token, the keys start at the last visited one of the turn, else at its first.
  const here = token ?? (tokens[visited]?.turn === turn ? visited : ofTurn);
  const { stop, ...keys } = useTokenKeys(tokens, here, onToken);
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
  return (
    <ol
      ref={list}
      className="panel iturns"
      aria-label={label}
      data-testid="inspected-turns"
      {...keys}
    >
      {record.turns.map((entry, index) => (
        <Turn
          key={index}
          {...props}
          {...{ onToken, entry, index }}
          stopAt={Math.min(here, tokens.length - 1)}
          stop={stop}
        />
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
  /** Index of the only token that the Tab key reaches. */
  readonly stopAt: number;
  readonly stop: React.RefObject<HTMLButtonElement | null>;
}

function Turn({ inspection, entry, index, stopAt, stop, ...props }: TurnProps) {
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
              return (
                <Token
                  key={place}
                  {...(place === stopAt ? { ref: stop, tabIndex: 0 } : {})}
                  token={one}
                  measure={measure}
                  scale={scale}
                  chosen={place === token}
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
