/** Prediction before the experiment, its result, and a question after it. */
import { createContext, type ReactNode, useContext, useId, useState } from 'react';
import { useOpenLesson } from '../context.ts';
import { keepPrediction, keptPrediction } from '../kept.ts';
import { reveal, useRevealed } from '../store.ts';

interface Choice {
  readonly group: string;
  /** Index of the reader’s choice. */
  readonly chosen: number | null;
  /** Index of the correct choice; null until the reader has opened the result. */
  readonly right: number | null;
  readonly choose: (index: number) => void;
}

const ChoiceContext = createContext<Choice | null>(null);

interface PredictProps {
  /** Number of the correct choice, from 1. */
  readonly answer: string;
  readonly children?: ReactNode;
}

export function Predict({ answer, children }: PredictProps) {
  const lesson = useOpenLesson();
  const group = useId();
  const [chosen, setChosen] = useState(() => keptPrediction(lesson.name));
  const revealed = useRevealed(({ lessons }) => lessons.has(lesson.name));
  const right = revealed ? Number(answer) - 1 : null;
  const choose = (index: number) => {
    keepPrediction(lesson.name, index);
    setChosen(index);
  };
  const verdict =
    right === null
      ? 'Saved. Run the experiment, then open the result to check your prediction.'
      : chosen === right
        ? 'Your prediction was correct.'
        : 'Your prediction was wrong. The correct choice is marked.';
  return (
    <fieldset className="lesson-box lesson-predict" data-testid="lesson-predict">
      <legend>Predict first</legend>
      <ChoiceContext.Provider value={{ group, chosen, right, choose }}>
        {children}
      </ChoiceContext.Provider>
      <p role="status" className="lesson-said" data-testid="lesson-verdict">
        {chosen === null ? '' : verdict}
      </p>
    </fieldset>
  );
}

export function Options({ children }: { readonly children?: ReactNode }) {
  return <div className="lesson-options">{children}</div>;
}

interface OptionProps {
  readonly place: string;
  readonly children?: ReactNode;
}

export function Option({ place, children }: OptionProps) {
  const choice = useContext(ChoiceContext);
  const index = Number(place);
  const isRight = choice?.right === index;
  return (
    <label className={isRight ? 'lesson-option lesson-option-right' : 'lesson-option'}>
      <input
        type="radio"
        name={choice?.group}
        checked={choice?.chosen === index}
        onChange={() => choice?.choose(index)}
      />
      <span>
        {children}
        {isRight ? <strong> (right)</strong> : null}
      </span>
    </label>
  );
}

/** The result over several seeds; collapsed, so that it is not read before the experiment. */
export function Outcome({ children }: { readonly children?: ReactNode }) {
  const lesson = useOpenLesson();
  return (
    <>
      <details
        className="lesson-box lesson-unfold lesson-on-screen"
        data-testid="lesson-outcome"
        onToggle={(event) => {
          if (event.currentTarget.open) reveal(lesson.name);
        }}
      >
        <summary>Result over many runs</summary>
        {children}
      </details>
      <div className="lesson-in-print lesson-answer">
        <h3>Result over many runs</h3>
        {children}
      </div>
    </>
  );
}

/**
 * A question and its answer, which is collapsed on screen and open in print. The first child is the
 * question, a `summary`.
 */
export function Question({ children }: { readonly children?: ReactNode }) {
  return (
    <>
      <div className="lesson-box lesson-question">
        <p className="lesson-label">Question</p>
        <details className="lesson-unfold" data-testid="lesson-question">
          {children}
        </details>
      </div>
      <details open className="lesson-in-print lesson-answer">
        {children}
      </details>
    </>
  );
}
