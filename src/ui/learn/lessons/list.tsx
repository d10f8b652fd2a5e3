import './list.css';
import { use } from 'react';
import { keptPlace } from './kept.ts';
import { openLesson, useLesson } from './store.ts';
import { loadLessons } from './texts.ts';
import { lessonWords } from './words.ts';

/** All lessons, in order. */
export function LessonList({ onChosen }: { readonly onChosen?: () => void }) {
  const language = useLesson((lesson) => lesson.language);
  const lessons = use(loadLessons(language));
  const here = keptPlace()?.name;
  return (
    <ol className="lesson-list" lang={language} data-testid="lesson-list">
      {lessons.map(({ name, number, title, summary }) => (
        <li key={name}>
          <span className="lesson-list-number" aria-hidden>
            {number}
          </span>
          <div>
            <button
              type="button"
              className="lesson-choose"
              onClick={() => {
                onChosen?.();
                openLesson(name);
              }}
            >
              {title}
            </button>
            <p className="lesson-summary">
              {summary}
              {name === here ? <em> ({lessonWords[language].here})</em> : null}
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}
