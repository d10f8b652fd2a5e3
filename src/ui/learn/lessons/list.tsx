import './list.css';
import { use } from 'react';
import { useLanguage } from '../../shell/language/store.ts';
import { keptPlace } from './kept.ts';
import { openLesson } from './store.ts';
import { loadLessons } from './texts.ts';

/** All lessons, in order. */
export function LessonList({ onChosen }: { readonly onChosen?: () => void }) {
  const language = useLanguage((state) => state.language);
  const lessons = use(loadLessons(language));
  const here = keptPlace()?.name;
  return (
    <ol className="lesson-list" data-testid="lesson-list">
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
              {name === here ? <em> (last opened)</em> : null}
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}
