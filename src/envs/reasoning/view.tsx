import type { EnvironmentView, EnvironmentViewProps } from '../views.ts';
import {
  describeScene,
  isReasoningState,
  type ReasoningScene,
  reasoningScene,
  type SceneLine,
  type SceneQuestion,
  verdictOf,
} from './scene.ts';
import './view.css';

/** Part of `glide` that a line waits for the one before it. */
const WAITING = 0.25;

/** The question, and the solution line by line with what holds, what is wrong and what only follows from it. */
function ReasoningView({ environmentId, options, taskId, state, glide }: EnvironmentViewProps) {
  if (!isReasoningState(state)) return null;
  const scene = reasoningScene(environmentId, options, state);
  return (
    <div
      className="reasoning"
      role="img"
      aria-label={describeScene(scene)}
      data-outcome={scene.outcome}
    >
      <div className="reasoning-frame" key={taskId}>
        <div className="reasoning-asked">
          <Question question={scene.question} />
          {scene.modulus === null ? null : (
            <small className="reasoning-modulus">counted modulo {scene.modulus}</small>
          )}
        </div>
        <Solution scene={scene} glide={glide} />
      </div>
    </div>
  );
}

function Question({ question }: { readonly question: SceneQuestion }) {
  switch (question.kind) {
    case 'chain':
      return (
        <div className="reasoning-chain">
          <b>{question.start}</b>
          {question.operations.map((operation, i) => (
            <span key={i}>{operation}</span>
          ))}
        </div>
      );
    case 'ledger':
      return (
        <div className="reasoning-ledger">
          {question.sentences.map((sentence) => (
            <span key={sentence}>{sentence}</span>
          ))}
          <b>{question.asked}</b>
        </div>
      );
    case 'columns':
      return <Columns {...question} />;
    default:
      return question satisfies never;
  }
}

/** The two numbers one below the other, what is carried above them, and the sum as the solution has it. */
function Columns({
  carries,
  first,
  second,
  sum,
}: Extract<SceneQuestion, { readonly kind: 'columns' }>) {
  const row = (name: string, digits: readonly (string | null)[], sign: string) => (
    <div className={`reasoning-row reasoning-${name}`}>
      <i>{sign}</i>
      {digits.map((digit, column) => (
        <span key={column}>{digit}</span>
      ))}
    </div>
  );
  return (
    <div className="reasoning-columns">
      {row(
        'carries',
        carries.map((carry) => (carry === '1' ? carry : null)),
        '',
      )}
      {row('number', first, '')}
      {row('number', second, '+')}
      {row('sum', sum, '')}
    </div>
  );
}

/** A tick, a cross, a bent arrow; a ring where a line waits to be written. */
const MARKS = {
  right: 'm4 8.6 2.8 2.9L12.2 4.8',
  wrong: 'm4.4 4.4 7.2 7.2m0-7.2-7.2 7.2',
  carried: 'M5 3.5v3.7c0 1.4.9 2.3 2.3 2.3h4.2M9.3 7.2l2.4 2.3-2.4 2.3',
  open: 'M8 5.2a2.8 2.8 0 1 0 .01 0',
} as const satisfies Record<SceneLine['verdict'], string>;

function Solution({ scene, glide }: { readonly scene: ReasoningScene; readonly glide: number }) {
  const { lines, outcome } = scene;
  return (
    <div className="reasoning-solution">
      {lines.map((line, i) => (
        <div
          key={`${outcome === 'running'} ${i}`}
          className={`reasoning-line reasoning-${line.verdict}`}
          style={{ animationDuration: `${glide}ms`, animationDelay: `${WAITING * i * glide}ms` }}
        >
          <span className="reasoning-label">{line.label}</span>
          <svg className="reasoning-mark" viewBox="0 0 16 16" aria-hidden="true">
            <path d={MARKS[line.verdict]} />
          </svg>
          <span className="reasoning-text">{line.text}</span>
          {line.note === '' ? null : <span className="reasoning-note">{line.note}</span>}
        </div>
      ))}
      <p className={`reasoning-verdict reasoning-${outcome}`}>{verdictOf(scene)}</p>
    </div>
  );
}

/** A solution is one of many: the page's list of actions serves it better than keys. */
export const view: EnvironmentView = { Component: ReasoningView, keys: {} };
