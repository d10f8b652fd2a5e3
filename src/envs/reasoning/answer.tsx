import type { CSSProperties } from 'react';
import type { AnswerViewProps } from '../views.ts';
import { StepMark } from './mark.tsx';
import { Asked } from './question.tsx';
import { isReasoningState, reasoningScene, type SceneLine } from './scene.ts';
import './answer.css';

/** Labels of the oracle's verdicts. */
const WORDS = {
  right: 'correct',
  wrong: 'wrong',
  carried: 'carried',
  open: 'not written',
} as const satisfies Record<SceneLine['verdict'], string>;

/** An answer line by line, with the judgments of the oracle and of other agents. */
export function Answer(props: AnswerViewProps) {
  const { environmentId, options, state, asked, judged, columns, changed } = props;
  if (!isReasoningState(state)) return null;
  const scene = reasoningScene(environmentId, options, state);
  const titles = [...(judged ? ['Truth'] : []), ...columns.map(({ title }) => title)];
  return (
    <div className="view-root reasoning answer">
      {asked ? <Asked scene={scene} /> : null}
      <div className="answer-lines" style={{ '--columns': titles.length } as CSSProperties}>
        <div className="answer-titles" aria-hidden>
          <span>Step</span>
          <span>Text</span>
          {titles.map((title) => (
            <span key={title}>{title}</span>
          ))}
        </div>
        <ol>
          {scene.lines.map((line, i) => (
            <li
              key={i}
              className={`answer-line${judged ? ` reasoning-${line.verdict}` : ''}${changed.has(i) ? ' answer-changed' : ''}`}
            >
              <span className="reasoning-label">{line.label}</span>
              <span className="reasoning-text">
                {line.text === '' ? <i>nothing</i> : line.text}
                {changed.has(i) ? (
                  <small className="visually-hidden answer-who">changed</small>
                ) : null}
              </span>
              {judged ? <Truth line={line} /> : null}
              {columns.map(({ title, cells }) => (
                <span key={title} className="answer-cell">
                  <small className="visually-hidden answer-who">{title}: </small>
                  {cells[i]}
                </span>
              ))}
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

function Truth({ line: { verdict, note } }: { readonly line: SceneLine }) {
  return (
    <span className="answer-cell answer-truth">
      <small className="visually-hidden answer-who">Truth: </small>
      <StepMark verdict={verdict} />
      <span>
        {WORDS[verdict]}
        {note === '' ? null : <small className="reasoning-note">{note}</small>}
      </span>
    </span>
  );
}
