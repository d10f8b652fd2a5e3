import { useEffect, useRef } from 'react';
import type { EpisodeRecord, EpisodeTurn } from '../../runs/episode.ts';
import { percent } from '../format.ts';

export interface DialogueProps {
  readonly record: EpisodeRecord;
  /** Turns that have been played; the turn being played is the one of this index. */
  readonly turn: number;
  /** The episode has ended; a visitor's own may still go on. */
  readonly finished: boolean;
  /** Who writes the actions. */
  readonly speaker: string;
  readonly onChoose: (turn: number) => void;
}

/** The dialogue by turns: what the environment says, what the agent writes and how sure it was. */
export function Dialogue({ record, turn, finished, speaker, onChoose }: DialogueProps) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const box = list.current;
    const item =
      box?.querySelector<HTMLElement>('.turn-end') ??
      box?.querySelector<HTMLElement>('[aria-current]') ??
      box?.querySelector<HTMLElement>('.turn');
    if (box === null || item === null || item === undefined) return;
    // Moves the list alone: scrollIntoView would also drag the page along.
    box.scrollTop = item.offsetTop - box.clientHeight / 2 + item.clientHeight / 2;
  });
  const over = turn >= record.turns.length;
  return (
    <ol ref={list} className="dialogue" aria-label="Dialogue by turns" data-testid="dialogue">
      {record.turns.map((entry, index) => (
        <Turn
          // Turns of one episode never move.
          key={index}
          entry={entry}
          index={index}
          current={index === turn - 1}
          future={index >= turn}
          speaker={speaker}
          onChoose={onChoose}
        />
      ))}
      {over ? (
        <li
          className={`turn turn-end${finished ? (record.success ? ' turn-success' : ' turn-failure') : ''}`}
          {...(finished ? {} : { 'aria-current': 'step' as const })}
        >
          <span className="turn-number" aria-hidden>
            {finished ? '' : record.turns.length + 1}
          </span>
          <div>
            <p className="says">{record.finalObservation}</p>
            {finished ? <p className="outcome">{outcome(record)}</p> : null}
          </div>
        </li>
      ) : null}
    </ol>
  );
}

/** How the episode ended, in a few words. */
export function outcome(record: EpisodeRecord): string {
  const turns = `${record.turns.length} ${record.turns.length === 1 ? 'turn' : 'turns'}`;
  if (Number.isNaN(record.score))
    return `The file ends after ${turns} and does not say how it went.`;
  if (record.success) return `Reached the goal in ${turns}. Reward ${record.score}.`;
  if (record.truncated) return `Cut by the horizon after ${turns}. Reward ${record.score}.`;
  return `Ended without success after ${turns}. Reward ${record.score}.`;
}

interface TurnProps {
  readonly entry: EpisodeTurn;
  readonly index: number;
  readonly current: boolean;
  readonly future: boolean;
  readonly speaker: string;
  readonly onChoose: (turn: number) => void;
}

function Turn({ entry, index, current, future, speaker, onChoose }: TurnProps) {
  return (
    <li
      className={`turn${current ? ' turn-current' : ''}${future ? ' turn-future' : ''}`}
      {...(current ? { 'aria-current': 'step' as const } : {})}
    >
      <button
        type="button"
        className="turn-number"
        onClick={() => onChoose(index + 1)}
        aria-label={`Show turn ${index + 1}`}
      >
        {index + 1}
      </button>
      <div>
        <p className="says">{entry.observation}</p>
        <p className="writes">
          <span className="visually-hidden">{speaker} writes: </span>
          {entry.tokens.length === 0 ? (
            <span className="token token-plain">{entry.action}</span>
          ) : (
            entry.tokens.map((token, position) => (
              <span
                key={position}
                className="token"
                title={`Probability ${token.probability.toPrecision(3)} when it was written`}
              >
                <span
                  className="token-bar"
                  style={{ width: `${Math.round(token.probability * 100)}%` }}
                  aria-hidden
                />
                <span className="token-text">{token.text}</span>
                <span className="token-p">{percent(token.probability)}</span>
              </span>
            ))
          )}
          {entry.understood ? null : <span className="not-understood">not an action</span>}
          {entry.reward === 0 ? null : <span className="reward">+{entry.reward}</span>}
        </p>
      </div>
    </li>
  );
}
