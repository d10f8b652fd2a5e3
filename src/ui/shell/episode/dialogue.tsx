import { useEffect, useRef, useState } from 'react';
import type { EpisodeRecord, EpisodeToken, EpisodeTurn } from '../../../runs/episode.ts';
import { percent, several } from '../../../runs/numbers.ts';
import type { DemonstrationReading } from '../../../runs/policy-reading.ts';
import { isGlued, partTokens, startOf } from './tokens.ts';

/** Observations with more characters than this are collapsed. */
const MOST_SHOWN = 320;
/** Actions with more tokens than this show numbers only on hover. */
const MOST_NUMBERED = 4;

interface DialogueProps {
  readonly record: EpisodeRecord;
  /** Number of completed turns, which is the index of the current turn. */
  readonly turn: number;
  /** Whether the episode has ended; an episode played by the user may still be running. */
  readonly finished: boolean;
  /** The author of the actions. */
  readonly speaker: string;
  /** For an expert's episode: the tokens of each turn, each with the agent's probability. */
  readonly predicted?: DemonstrationReading['turns'] | undefined;
  readonly onChoose?: (turn: number) => void;
}

/** The dialogue by turns: observations, and the agent's text with probabilities. */
export function Dialogue(props: DialogueProps) {
  const { record, turn, finished, speaker, predicted, onChoose = () => {} } = props;
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const box = list.current;
    const item =
      box?.querySelector<HTMLElement>('.turn-end') ??
      box?.querySelector<HTMLElement>('[aria-current]') ??
      box?.querySelector<HTMLElement>('.turn');
    if (box === null || item === null || item === undefined) return;
    // Scrolls only the list: scrollIntoView would also scroll the page. A turn that does not fit is
    // shown from its start.
    const spare = Math.max(0, box.clientHeight - item.clientHeight) / 2;
    box.scrollTop = item.offsetTop - spare;
  }, [record, turn, finished]);
  const over = turn >= record.turns.length;
  return (
    <ol ref={list} className="dialogue" aria-label="Dialogue, turn by turn" data-testid="dialogue">
      {record.turns.map((entry, index) => (
        <Turn
          // The turns of an episode keep their order.
          key={index}
          entry={entry}
          index={index}
          current={index === turn - 1}
          future={index >= turn}
          speaker={speaker}
          predicted={predicted?.[index]}
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
            <Says key={record.turns.length} text={record.finalObservation} whole={!finished} />
            {finished ? <p className="outcome">{outcome(record)}</p> : null}
          </div>
        </li>
      ) : null}
    </ol>
  );
}

/** The outcome of the episode, in a few words. */
export function outcome(record: EpisodeRecord): string {
  const turns = several(record.turns.length, 'turn');
  if (Number.isNaN(record.score)) return `The file ends after ${turns} without an outcome.`;
  const reward = `Reward ${Number(record.score.toFixed(3))}.`;
  if (record.success) return `Solved in ${turns}. ${reward}`;
  if (record.truncated) return `Truncated by the horizon after ${turns}. ${reward}`;
  return `Ended without success after ${turns}. ${reward}`;
}

/** An observation; a long text is collapsed at first. */
function Says({ text, whole }: { readonly text: string; readonly whole: boolean }) {
  const [open, setOpen] = useState(whole);
  const start = startOf(text, MOST_SHOWN);
  if (start === null)
    return (
      <p className="says" translate="no">
        {text}
      </p>
    );
  return (
    <p className="says" translate="no">
      {open ? text : `${start} …`}{' '}
      <button type="button" className="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Show less' : `Show all ${text.length.toLocaleString('en-US')} characters`}
      </button>
    </p>
  );
}

interface TurnProps {
  readonly entry: EpisodeTurn;
  readonly index: number;
  readonly current: boolean;
  readonly future: boolean;
  readonly speaker: string;
  readonly predicted: readonly EpisodeToken[] | undefined;
  readonly onChoose: (turn: number) => void;
}

function Turn({ entry, index, current, future, speaker, predicted, onChoose }: TurnProps) {
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
        <Says text={entry.observation} whole={false} />
        <Writes entry={entry} speaker={speaker} predicted={predicted} />
      </div>
    </li>
  );
}

/** The thought, then the action, with each token's probability. */
function Writes({ entry, speaker, predicted }: Pick<TurnProps, 'entry' | 'speaker' | 'predicted'>) {
  const tokens = predicted ?? entry.tokens;
  const say = predicted === undefined ? whenWritten : byAgent;
  const { thought, action } = partTokens(tokens);
  const untold = entry.thought !== '' && thought.length === 0;
  return (
    <>
      {untold || thought.length > 0 ? (
        <p className="thought" translate="no">
          <span className="visually-hidden">{speaker} thinks: </span>
          {untold ? entry.thought : <Words tokens={thought} say={say} />}
        </p>
      ) : null}
      <p className="row writes">
        <span className="visually-hidden">{speaker}: </span>
        {tokens.length === 0 ? (
          <span className="token token-plain" translate="no">
            {entry.action}
          </span>
        ) : action.length > MOST_NUMBERED ? (
          <span className="token token-words">
            <Words tokens={action} say={say} />
          </span>
        ) : (
          action.map((token, position) => <Token key={position} token={token} say={say} />)
        )}
        {entry.understood ? null : <span className="not-understood">not an action</span>}
        {entry.reward === 0 ? null : (
          <span className="reward">
            {entry.reward > 0 ? '+' : '−'}
            {Number(Math.abs(entry.reward).toFixed(3))}
          </span>
        )}
      </p>
    </>
  );
}

/** Describes a token's probability. */
type Say = (token: EpisodeToken) => string;

const whenWritten: Say = ({ probability }) =>
  `Probability ${probability.toPrecision(3)} when it was generated`;

const byAgent: Say = ({ probability }) => `The agent’s probability: ${probability.toPrecision(3)}`;

interface TokenProps {
  readonly token: EpisodeToken;
  readonly say: Say;
}

/** A token with its probability as a bar and a number. */
function Token({ token, say }: TokenProps) {
  return (
    <span className="token" title={say(token)}>
      <span
        className="token-bar"
        style={{ width: `${Math.round(token.probability * 100)}%` }}
        aria-hidden
      />
      <span className="token-text" translate="no">
        {token.text}
      </span>
      <span className="token-p">{percent(token.probability)}</span>
    </span>
  );
}

/** Many tokens as running text; each is underlined in proportion to its probability. */
function Words({ tokens, say }: { readonly tokens: readonly EpisodeToken[]; readonly say: Say }) {
  return tokens.map((token, position) => (
    <span key={position} title={say(token)}>
      {isGlued(token, tokens[position - 1]) ? '' : ' '}
      <span
        className="word"
        translate="no"
        style={{ backgroundSize: `${Math.round(token.probability * 100)}% 2px` }}
      >
        {token.text}
      </span>
    </span>
  ));
}
