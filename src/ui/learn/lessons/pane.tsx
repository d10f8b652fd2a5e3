import './lessons.css';
import './print.css';
import { Button, CloseButton, SegmentedControl } from '@mantine/core';
import {
  IconArrowLeft,
  IconArrowRight,
  IconCheck,
  IconLink,
  IconList,
  IconPrinter,
} from '@tabler/icons-react';
import { type RefObject, use, useEffect, useLayoutEffect, useRef } from 'react';
import { useCopy } from '../../shell/browser/copy.ts';
import {
  chooseLanguage,
  languageNames,
  languages,
  useLanguage,
} from '../../shell/language/store.ts';
import { depths, useDepth } from '../../shell/page/depth.ts';
import { LessonProvider } from './context.ts';
import { keepPlace, keptPlace } from './kept.ts';
import { LessonList } from './list.tsx';
import { LessonText } from './markdown.tsx';
import { ALL_LESSONS, openLesson, useLesson } from './store.ts';
import { type Lesson, loadLessons } from './texts.ts';
import { ToLesson } from './to-lesson.tsx';

/** The open lesson, beside or above the lab, or the list of lessons. */
export function LessonPane() {
  const name = useLesson((lesson) => lesson.name);
  const language = useLanguage((state) => state.language);
  const lessons = use(loadLessons(language));
  const place = lessons.findIndex((lesson) => lesson.name === name);
  const lesson = lessons[place];
  const pane = useRef<HTMLElement>(null);
  return (
    <aside ref={pane} className="lesson" aria-label="Lessons">
      <div className="lesson-bar">
        <SegmentedControl
          aria-label="Language"
          value={language}
          data={languages.map((value) => ({ value, label: languageNames[value] }))}
          onChange={(value) => void chooseLanguage(value)}
        />
        {lesson === undefined ? null : (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconList size={15} />}
            onClick={() => openLesson(ALL_LESSONS)}
          >
            All lessons
          </Button>
        )}
        <CloseButton aria-label="Close lessons" onClick={() => openLesson(null)} />
      </div>
      {lesson === undefined ? (
        <>
          <h2 className="lesson-title">Lessons</h2>
          <p>
            {name === ALL_LESSONS || name === null
              ? 'About five minutes each. Real agents train next to the text while you read.'
              : `There is no lesson called “${name}”. Available lessons:`}
          </p>
          <LessonList />
        </>
      ) : (
        <LessonProvider key={`${lesson.name} ${language}`} value={lesson}>
          <OneLesson lesson={lesson} lessons={lessons} pane={pane} />
        </LessonProvider>
      )}
      <ToLesson pane={pane} />
    </aside>
  );
}

interface OneLessonProps {
  readonly lesson: Lesson;
  readonly lessons: readonly Lesson[];
  readonly pane: RefObject<HTMLElement | null>;
}

function OneLesson({ lesson, lessons, pane }: OneLessonProps) {
  const language = useLanguage((state) => state.language);
  const title = useRef<HTMLHeadingElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const { copy, copied } = useCopy();
  const place = lessons.indexOf(lesson);
  const [before, after] = [lessons[place - 1], lessons[place + 1]];
  useLessonDepth(lesson);
  usePlace(lesson.name, pane, text);
  useEffect(() => {
    if (useLesson.getState().byHand) title.current?.focus({ preventScroll: true });
  }, [lesson]);
  return (
    <article className="lesson-article" data-testid="lesson" data-lesson={lesson.name}>
      <p className="lesson-number">
        Lesson {place + 1} of {lessons.length}
      </p>
      <h2 ref={title} className="lesson-title" tabIndex={-1}>
        {lesson.title}
      </h2>
      <p className="lesson-in-print lesson-who">
        <span>Name</span> ____________________________ &nbsp; <span>Date</span> ______________
      </p>
      <div ref={text} className="lesson-text">
        <LessonText text={lesson.text} />
        <h2 className="lesson-in-print lesson-answers">Answers</h2>
      </div>
      <p className="lesson-in-print lesson-address">{linkTo(lesson.name, language)}</p>
      <div className="lesson-tools">
        <Button
          size="compact-sm"
          leftSection={copied === 'yes' ? <IconCheck size={15} /> : <IconLink size={15} />}
          onClick={() => copy(linkTo(lesson.name, language))}
        >
          {copied === 'yes' ? 'Link copied' : 'Copy link'}
        </Button>
        <Button size="compact-sm" leftSection={<IconPrinter size={15} />} onClick={() => print()}>
          Print worksheet
        </Button>
      </div>
      {copied === 'no' ? (
        <p className="lesson-standing" role="status">
          {linkTo(lesson.name, language)}
        </p>
      ) : null}
      <nav className="lesson-ways" aria-label="Lessons">
        {before === undefined ? null : (
          <Button
            size="sm"
            leftSection={<IconArrowLeft size={15} />}
            onClick={() => openLesson(before.name)}
            aria-label={`Back: ${before.title}`}
          >
            Back
          </Button>
        )}
        <Button
          size="sm"
          variant="filled"
          className="lesson-on"
          rightSection={<IconArrowRight size={15} />}
          onClick={() => openLesson(after?.name ?? ALL_LESSONS)}
        >
          {after === undefined ? 'All lessons' : `Next: ${after.title}`}
        </Button>
      </nav>
    </article>
  );
}

/** A link that opens the lesson. */
function linkTo(name: string, language: string): string {
  return `${location.origin}${location.pathname}?lesson=${name}&language=${language}`;
}

/** Sets the depth of the lab while the lesson is open, unless the user chooses another. */
function useLessonDepth({ depth }: Lesson): void {
  useEffect(() => {
    const { depth: before, addressed } = useDepth.getState();
    const wanted = depths.find((one) => one === depth);
    if (wanted === undefined || addressed) return;
    useDepth.setState({ depth: wanted });
    return () => {
      if (useDepth.getState().depth === wanted) useDepth.setState({ depth: before });
    };
  }, [depth]);
}

/** Stores the reading position, and restores it after a reload. */
function usePlace(
  name: string,
  pane: RefObject<HTMLElement | null>,
  text: RefObject<HTMLElement | null>,
): void {
  useLayoutEffect(() => {
    const kept = keptPlace();
    const block = kept?.name === name ? kept.block : 0;
    if (block > 0) text.current?.children[block]?.scrollIntoView({ block: 'start' });
    else {
      pane.current?.scrollTo(0, 0);
      keepPlace({ name, block: 0 });
    }
  }, [name, pane, text]);
  useEffect(() => {
    let due = 0;
    const look = () => {
      const blocks = [...(text.current?.children ?? [])];
      const bar = document.querySelector<HTMLElement>('.top')?.offsetHeight ?? 0;
      const block = blocks.findIndex((one) => one.getBoundingClientRect().bottom > bar + READ_PX);
      if (block >= 0) keepPlace({ name, block });
    };
    const scrolled = () => {
      cancelAnimationFrame(due);
      due = requestAnimationFrame(look);
    };
    // The pane scrolls when it is beside the lab, the page when it is above.
    document.addEventListener('scroll', scrolled, true);
    return () => {
      cancelAnimationFrame(due);
      document.removeEventListener('scroll', scrolled, true);
    };
  }, [name, pane, text]);
}

/** A block that ends within this distance of the top bar, in pixels, counts as read. */
const READ_PX = 24;
