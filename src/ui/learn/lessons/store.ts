/** The open lesson, which an address may name. */
import { create } from 'zustand';
import { rewriteAddress, withParameter } from '../../shell/address/address.ts';
import { whenForgotten } from '../../shell/browser/kept.ts';
import { LANGUAGE } from '../../shell/language/store.ts';
import { keepLessonRun, keptLessonRun, type LessonRun } from './kept.ts';

/** Opens the list of lessons instead of one. */
export const ALL_LESSONS = 'all';

const LESSON = 'lesson';

export const useLesson = create<{
  /** Null if none is open. */
  readonly name: string | null;
  /** Whether the user opened it; it then takes the focus. */
  readonly byHand: boolean;
}>()(() => ({ name: null, byHand: false }));

whenForgotten(() => useLesson.setState({ name: null }));

/** Reads the lesson from the address. */
export function takeLesson(search: string): void {
  useLesson.setState({ name: new URLSearchParams(search).get(LESSON) });
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

/** The last run that a lesson has started. Charts in a lesson show only its own run. */
export const useLessonRun = create<{ readonly run: LessonRun | null }>()(() => ({
  run: keptLessonRun(),
}));

export function noteLessonRun(run: LessonRun): void {
  keepLessonRun(run);
  useLessonRun.setState({ run });
}

/**
 * Lessons whose result the reader has opened, which reveals the correct choice of the prediction.
 */
export const useRevealed = create<{ readonly lessons: ReadonlySet<string> }>()(() => ({
  lessons: new Set(),
}));

export function reveal(lesson: string): void {
  useRevealed.setState(({ lessons }) => ({ lessons: new Set(lessons).add(lesson) }));
}
