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
import { depths, useDepth } from '../../shell/page/depth.ts';
import { LessonProvider } from './context.ts';
import { keepPlace, keptPlace } from './kept.ts';
import { LessonList } from './list.tsx';
import { LessonText } from './markdown.tsx';
import { ALL_LESSONS, chooseLanguage, languages, openLesson, useLesson } from './store.ts';
import { type Lesson, loadLessons } from './texts.ts';
import { ToLesson } from './to-lesson.tsx';
import { lessonWords } from './words.ts';

/** The open lesson, beside or above the lab, or the list of lessons. */
export function LessonPane() {
  const name = useLesson((lesson) => lesson.name);
  const language = useLesson((lesson) => lesson.language);
  const lessons = use(loadLessons(language));
  const words = lessonWords[language];
  const place = lessons.findIndex((lesson) => lesson.name === name);
  const lesson = lessons[place];
  const pane = useRef<HTMLElement>(null);
  return (
    <aside ref={pane} className="lesson" lang={language} aria-label={words.lessons}>
      <div className="lesson-bar">
        <SegmentedControl
          aria-label={words.languages}
          value={language}
          data={languages.map((value) => ({ value, label: lessonWords[value].language }))}
          onChange={(value) => chooseLanguage(value)}
        />
        {lesson === undefined ? null : (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconList size={15} />}
            onClick={() => openLesson(ALL_LESSONS)}
          >
            {words.all}
          </Button>
        )}
        <CloseButton aria-label={words.close} onClick={() => openLesson(null)} />
      </div>
      {lesson === undefined ? (
        <>
          <h2 className="lesson-title">{words.lessons}</h2>
          <p>{name === ALL_LESSONS || name === null ? words.intro : words.unknown(name)}</p>
          <LessonList />
        </>
      ) : (
        <LessonProvider key={`${lesson.name} ${language}`} value={{ lesson, language }}>
          <OneLesson lesson={lesson} lessons={lessons} pane={pane} />
        </LessonProvider>
      )}
      <ToLesson pane={pane} label={words.toLesson} />
    </aside>
  );
}

interface OneLessonProps {
  readonly lesson: Lesson;
  readonly lessons: readonly Lesson[];
  readonly pane: RefObject<HTMLElement | null>;
}

function OneLesson({ lesson, lessons, pane }: OneLessonProps) {
  const language = useLesson((state) => state.language);
  const words = lessonWords[language];
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
      <p className="lesson-number">{words.lesson(place + 1, lessons.length)}</p>
      <h2 ref={title} className="lesson-title" tabIndex={-1}>
        {lesson.title}
      </h2>
      <p className="lesson-in-print lesson-who">
        {words.student} ____________________________ &nbsp; {words.date} ______________
      </p>
      <div ref={text} className="lesson-text">
        <LessonText text={lesson.text} />
        <h2 className="lesson-in-print lesson-answers">{words.answers}</h2>
      </div>
      <p className="lesson-in-print lesson-address">{linkTo(lesson.name, language)}</p>
      <div className="lesson-tools">
        <Button
          size="compact-sm"
          leftSection={copied === 'yes' ? <IconCheck size={15} /> : <IconLink size={15} />}
          onClick={() => copy(linkTo(lesson.name, language))}
        >
          {copied === 'yes' ? words.linkCopied : words.copyLink}
        </Button>
        <Button size="compact-sm" leftSection={<IconPrinter size={15} />} onClick={() => print()}>
          {words.print}
        </Button>
      </div>
      {copied === 'no' ? (
        <p className="lesson-standing" role="status">
          {linkTo(lesson.name, language)}
        </p>
      ) : null}
      <nav className="lesson-ways" aria-label={words.lessons}>
        {before === undefined ? null : (
          <Button
            size="sm"
            leftSection={<IconArrowLeft size={15} />}
            onClick={() => openLesson(before.name)}
            aria-label={`${words.back}: ${before.title}`}
          >
            {words.back}
          </Button>
        )}
        <Button
          size="sm"
          variant="filled"
          className="lesson-on"
          rightSection={<IconArrowRight size={15} />}
          onClick={() => openLesson(after?.name ?? ALL_LESSONS)}
        >
          {after === undefined ? words.all : `${words.on}: ${after.title}`}
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
