/** The open lesson and its language. An address may name both; the language is stored. */
import { create } from 'zustand';
import { rewriteAddress, withParameter } from '../../shell/address/address.ts';
import { readKept, whenForgotten, writeKept } from '../../shell/browser/kept.ts';
import { keepLessonRun, keptLessonRun, type LessonRun } from './kept.ts';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** Opens the list of lessons instead of one. */
export const ALL_LESSONS = 'all';

const LESSON = 'lesson';
const LANGUAGE = 'language';

export const useLesson = create<{
  /** Null if none is open. */
  readonly name: string | null;
  readonly language: Language;
  /** The user has opened it, so it takes the focus. */
  readonly byHand: boolean;
}>()(() => ({ name: null, language: 'en', byHand: false }));

/** The language of the open lesson, in which terms are explained; English if none is open. */
export const useTermLanguage = (): Language =>
  useLesson(({ name, language }) => (name === null ? 'en' : language));

whenForgotten(() => useLesson.setState({ name: null, language: 'en' }));

const languageOf = (text: string | null | undefined) => languages.find((one) => one === text);

/** Reads lesson and language from the address. */
export function takeLesson(search: string): void {
  const parameters = new URLSearchParams(search);
  const addressed = languageOf(parameters.get(LANGUAGE));
  if (addressed !== undefined) writeKept(LANGUAGE, addressed);
  const usual = languageOf(navigator.language.slice(0, 2)) ?? 'en';
  const language = addressed ?? languageOf(readKept(LANGUAGE)) ?? usual;
  useLesson.setState({ name: parameters.get(LESSON), language });
}

/** Adds the open lesson to an address from `writeAddress`. */
export function withLesson(address: string): string {
  const { name } = useLesson.getState();
  return withParameter(address, LESSON, ...(name === null ? [] : [encodeURIComponent(name)]));
}

/** Opens a lesson or the list of lessons; null closes it. */
export function openLesson(name: string | null): void {
  useLesson.setState({ name, byHand: true });
  rewriteAddress((address) => withLesson(withParameter(address, LANGUAGE)), 'push');
}

/** Switches the language, also for later visits. */
export function chooseLanguage(language: Language): void {
  writeKept(LANGUAGE, language);
  useLesson.setState({ language });
}

/** The last run that a lesson has started. Charts in a lesson show only its own run. */
export const useLessonRun = create<{ readonly run: LessonRun | null }>()(() => ({
  run: keptLessonRun(),
}));

export function noteLessonRun(run: LessonRun): void {
  keepLessonRun(run);
  useLessonRun.setState({ run });
}

/** Lessons whose result the reader has opened, which reveals the right choice of the prediction. */
export const useRevealed = create<{ readonly lessons: ReadonlySet<string> }>()(() => ({
  lessons: new Set(),
}));

export function reveal(lesson: string): void {
  useRevealed.setState(({ lessons }) => ({ lessons: new Set(lessons).add(lesson) }));
}
