import { createContext, useContext } from 'react';
import type { Lesson } from './texts.ts';

/** Provides the open lesson to its parts. */
const Context = createContext<Lesson | null>(null);

export const LessonProvider = Context.Provider;

export function useOpenLesson(): Lesson {
  const lesson = useContext(Context);
  if (lesson === null) throw new Error('useOpenLesson must be used within a LessonProvider');
  return lesson;
}
