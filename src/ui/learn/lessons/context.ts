import { createContext, useContext } from 'react';
import type { Language } from './store.ts';
import type { Lesson } from './texts.ts';
import { type LessonWords, lessonWords } from './words.ts';

/** The lesson around its parts. */
interface LessonContext {
  readonly lesson: Lesson;
  readonly language: Language;
}

const Context = createContext<LessonContext | null>(null);

export const LessonProvider = Context.Provider;

export function useLessonContext(): LessonContext & { readonly words: LessonWords } {
  const context = useContext(Context);
  if (context === null) throw new Error('useLessonContext outside of a LessonProvider');
  return { ...context, words: lessonWords[context.language] };
}
