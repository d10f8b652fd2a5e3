import { ViewRoot } from '../view-parts.tsx';
import type { EnvironmentView, EnvironmentViewProps } from '../views.ts';
import { Answer } from './answer.tsx';
import { StepMark } from './mark.tsx';
import { Asked } from './question.tsx';
import {
  describeScene,
  isReasoningState,
  type ReasoningScene,
  reasoningScene,
  verdictOf,
} from './scene.ts';
import './view.css';

/** Delay between lines, as a share of `glide`. */
const WAITING = 0.25;

/** The question, and the solution line by line, each with its verdict. */
function ReasoningView({ environmentId, options, taskId, state, glide }: EnvironmentViewProps) {
  if (!isReasoningState(state)) return null;
  const scene = reasoningScene(environmentId, options, state);
  return (
    <ViewRoot name="reasoning" description={describeScene(scene)} scene={scene}>
      <div className="reasoning-frame" key={taskId}>
        <Asked scene={scene} />
        <Solution scene={scene} glide={glide} />
      </div>
    </ViewRoot>
  );
}

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
          <StepMark verdict={line.verdict} />
          <span className="reasoning-text">{line.text}</span>
          {line.note === '' ? null : <span className="reasoning-note">{line.note}</span>}
        </div>
      ))}
      <p className={`reasoning-verdict reasoning-${outcome}`}>{verdictOf(scene)}</p>
    </div>
  );
}

/** No keys: there are too many possible solutions, so the page lists actions instead. */
export const view: EnvironmentView = { Component: ReasoningView, keys: {}, Answer };
