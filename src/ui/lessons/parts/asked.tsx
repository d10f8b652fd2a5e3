/** What a reader is asked: a prediction before the experiment, and a question after it. */
import { createContext, type ReactNode, useContext, useId, useState } from 'react';
import { useLessonContext } from '../context.ts';
import { keepPrediction, keptPrediction } from '../kept.ts';

interface Answering {
  readonly group: string;
  readonly chosen: number | null;
  readonly choose: (place: number) => void;
}

const AnsweringContext = createContext<Answering | null>(null);

export function Predict({ children }: { readonly children?: ReactNode }) {
  const { lesson, words } = useLessonContext();
  const group = useId();
  const [chosen, setChosen] = useState(() => keptPrediction(lesson.name));
  const choose = (place: number) => {
    keepPrediction(lesson.name, place);
    setChosen(place);
  };
  return (
    <fieldset className="lesson-box lesson-predict" data-testid="lesson-predict">
      <legend>{words.predict}</legend>
      <AnsweringContext.Provider value={{ group, chosen, choose }}>
        {children}
      </AnsweringContext.Provider>
      <p role="status" className="lesson-said">
        {chosen === null ? '' : words.said}
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
  const answering = useContext(AnsweringContext);
  const number = Number(place);
  return (
    <label className="lesson-option">
      <input
        type="radio"
        name={answering?.group}
        checked={answering?.chosen === number}
        onChange={() => answering?.choose(number)}
      />
      <span>{children}</span>
    </label>
  );
}

/** What several seeds showed: shut, so that nobody reads it before the experiment. */
export function Outcome({ children }: { readonly children?: ReactNode }) {
  const { words } = useLessonContext();
  return (
    <>
      <details className="lesson-box lesson-unfold lesson-on-screen" data-testid="lesson-outcome">
        <summary>{words.outcome}</summary>
        {children}
      </details>
      <div className="lesson-in-print lesson-answer">
        <h3>{words.outcome}</h3>
        {children}
      </div>
    </>
  );
}

/** A question and its answer, which on paper stand apart. The first child is the question, a `summary`. */
export function Question({ children }: { readonly children?: ReactNode }) {
  const { words } = useLessonContext();
  return (
    <>
      <div className="lesson-box lesson-question">
        <p className="lesson-label">{words.question}</p>
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
