import type { CSSProperties } from 'react';
import { ViewRoot } from '../view-parts.tsx';
import type { EnvironmentView, EnvironmentViewProps } from '../views.ts';
import type { Mark } from './feedback.ts';
import {
  describeScene,
  isWordleState,
  type Tile,
  verdict,
  type WordleRow,
  type WordleScene,
  wordleScene,
} from './scene.ts';
import './view.css';

const MARK_CLASSES = ['wordle-grey', 'wordle-yellow', 'wordle-green'] as const;
const LEGEND = ['not (again) in the word', 'elsewhere', 'in place'] as const;
const KEYBOARD = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'] as const;
const COLUMNS = [0, 1, 2, 3, 4] as const;
const MARKS: readonly Mark[] = [2, 1, 0];

/** Share of `glide` for turning a tile, and the delay between tiles. */
const TURNING = 0.6;
const WAITING = 0.1;

const markClass = (mark: Mark | undefined) => (mark === undefined ? '' : MARK_CLASSES[mark]);

/** The board of letter tiles, the keyboard with what is known about each letter, and the remaining words. */
function WordleView({ options, taskId, state, glide }: EnvironmentViewProps) {
  if (!isWordleState(state)) return null;
  const scene = wordleScene(options, state);
  return (
    <ViewRoot name="wordle" description={describeScene(scene)} scene={scene}>
      <div className="wordle-frame">
        <Board key={taskId} scene={scene} glide={glide} />
        <div className="wordle-side">
          <Keyboard letters={scene.letters} glide={glide} />
          <Legend />
          <WordsLeft scene={scene} glide={glide} />
        </div>
      </div>
    </ViewRoot>
  );
}

function Board({ scene, glide }: { readonly scene: WordleScene; readonly glide: number }) {
  const given = scene.rows.length - scene.turnLimit;
  return (
    <div className="wordle-board">
      {scene.rows.map((row, i) => (
        <Row
          key={i}
          row={row}
          label={i < given ? 'given' : String(i - given + 1)}
          current={scene.outcome === 'running' && i === given + scene.turn}
          glide={glide}
        />
      ))}
    </div>
  );
}

interface RowProps {
  readonly row: WordleRow;
  readonly label: string;
  readonly current: boolean;
  readonly glide: number;
}

function Row({ row, label, current, glide }: RowProps) {
  return (
    <div className={`wordle-row wordle-${row.kind}${current ? ' wordle-current' : ''}`}>
      <span className="wordle-label">{label}</span>
      {COLUMNS.map((column) => (
        <TileView
          key={column}
          tile={row.tiles[column] ?? null}
          style={{
            transitionDuration: `${TURNING * glide}ms`,
            transitionDelay: `${WAITING * column * glide}ms`,
          }}
        />
      ))}
      {row.kind === 'invalid' ? <span className="wordle-note">invalid word</span> : null}
    </div>
  );
}

/** A tile turns over when its letter is guessed. */
function TileView({ tile, style }: { readonly tile: Tile; readonly style: CSSProperties }) {
  return (
    <span className="wordle-tile">
      <span className={tile === null ? 'wordle-turn' : 'wordle-turn wordle-turned'} style={style}>
        <span className="wordle-face wordle-front" />
        <span className={`wordle-face wordle-back ${markClass(tile?.mark)}`}>{tile?.letter}</span>
      </span>
    </span>
  );
}

interface KeyboardProps {
  readonly letters: WordleScene['letters'];
  readonly glide: number;
}

function Keyboard({ letters, glide }: KeyboardProps) {
  const style = { transitionDuration: `${glide}ms` };
  return (
    <div className="wordle-keyboard">
      {KEYBOARD.map((line) => (
        <div key={line} className="wordle-keys">
          {[...line].map((letter) => (
            <span
              key={letter}
              className={`wordle-key ${markClass(letters.get(letter))}`}
              style={style}
            >
              {letter}
            </span>
          ))}
        </div>
      ))}
    </div>
  );
}

function Legend() {
  return (
    <div className="view-legend wordle-legend">
      {MARKS.map((mark) => (
        <span key={mark}>
          <i className={MARK_CLASSES[mark]} />
          {LEGEND[mark]}
        </span>
      ))}
    </div>
  );
}

/** How far the marks have narrowed the list, and the remaining words if they are few. */
function WordsLeft({ scene, glide }: { readonly scene: WordleScene; readonly glide: number }) {
  const { words, left, leftWords, outcome, answer, redrawn } = scene;
  return (
    <div className="wordle-left">
      <p className={`wordle-verdict wordle-verdict-${outcome}`}>
        {verdict(scene)}
        {outcome === 'running' ? <small> The list has {words}.</small> : null}
      </p>
      <div className="wordle-gauge">
        <span style={{ width: `${(100 * left) / words}%`, transitionDuration: `${glide}ms` }} />
      </div>
      {outcome === 'success' ? null : (
        <div className="wordle-words">
          {leftWords.map((word) => (
            <span key={word} translate="no" className={word === answer ? 'wordle-answer' : ''}>
              {word}
            </span>
          ))}
        </div>
      )}
      {redrawn && outcome === 'running' ? (
        <p className="wordle-redrawn">
          After each guess the hidden word may change to another of these.
        </p>
      ) : null}
    </div>
  );
}

/** There are too many words for keys; the page lists actions instead. */
export const view: EnvironmentView = { Component: WordleView, keys: {} };
