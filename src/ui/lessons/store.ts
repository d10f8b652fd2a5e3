/** Which lesson is open, and in which language. An address may name both; the language is kept. */
import { create } from 'zustand';
import { rewriteAddress, withParameter } from '../address/address.ts';
import { readKept, whenForgotten, writeKept } from '../browser/kept.ts';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** In place of a lesson’s name: the list of all of them. */
export const ALL_LESSONS = 'all';

const LESSON = 'lesson';
const LANGUAGE = 'language';

export const useLesson = create<{
  /** Null where none is open. */
  readonly name: string | null;
  readonly language: Language;
  /** It was opened by hand, and so has the focus. */
  readonly byHand: boolean;
}>()(() => ({ name: null, language: 'en', byHand: false }));

whenForgotten(() => useLesson.setState({ name: null, language: 'en' }));

const languageOf = (text: string | null | undefined) => languages.find((one) => one === text);

/** Takes the lesson and the language that the page opens with. */
export function takeLesson(search: string): void {
  const parameters = new URLSearchParams(search);
  const addressed = languageOf(parameters.get(LANGUAGE));
  if (addressed !== undefined) writeKept(LANGUAGE, addressed);
  const usual = languageOf(navigator.language.slice(0, 2)) ?? 'en';
  const language = addressed ?? languageOf(readKept(LANGUAGE)) ?? usual;
  useLesson.setState({ name: parameters.get(LESSON), language });
}

/** An address as `writeAddress` gives it, with the lesson that is open. */
export function withLesson(address: string): string {
  const { name } = useLesson.getState();
  return withParameter(address, LESSON, ...(name === null ? [] : [encodeURIComponent(name)]));
}

/** Opens a lesson, or the list of them, or closes it. */
export function openLesson(name: string | null): void {
  useLesson.setState({ name, byHand: true });
  rewriteAddress((address) => withLesson(withParameter(address, LANGUAGE)));
}

/** Reads lessons in another language, in later visits too. */
export function chooseLanguage(language: Language): void {
  writeKept(LANGUAGE, language);
  useLesson.setState({ language });
}
