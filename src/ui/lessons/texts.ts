/** The lessons as they are written, and what stands at their top. A language is one file of the page. */

import type { Language } from './store.ts';

/** A lesson; `docs/LESSONS.md` says how one is written. */
export interface Lesson {
  /** In the address, the same in all languages: that of the file without its number. */
  readonly name: string;
  /** From 1. */
  readonly number: number;
  readonly title: string;
  /** One sentence for the list. */
  readonly summary: string;
  /** As much of the lab as it talks about. */
  readonly depth: string;
  /** The run that its parts begin, as an address has it, from behind the question mark. */
  readonly run: string;
  /** Markdown with directives. */
  readonly text: string;
}

/** Thrown for a file that is no lesson; it says what is missing. */
export class LessonError extends Error {
  override readonly name = 'LessonError';
}

const load: Readonly<Record<Language, () => Promise<{ readonly files: Files }>>> = {
  en: () => import('./texts/en.ts'),
  de: () => import('./texts/de.ts'),
};

type Files = Readonly<Record<string, string>>;

const loaded = new Map<Language, Promise<readonly Lesson[]>>();

/** All lessons of a language in their order; the same promise every time, as React’s `use` wants it. */
export function loadLessons(language: Language): Promise<readonly Lesson[]> {
  const known = loaded.get(language);
  if (known !== undefined) return known;
  const lessons = load[language]().then(({ files }) => readLessons(files));
  loaded.set(language, lessons);
  // What could not be had is asked for again.
  lessons.catch(() => loaded.delete(language));
  return lessons;
}

/**
 * @param files texts by their paths
 * @throws {LessonError}
 */
export function readLessons(files: Files): readonly Lesson[] {
  return Object.entries(files)
    .map(([path, text]) => readLesson(path, text))
    .sort((a, b) => a.number - b.number);
}

const fields = ['title', 'summary', 'depth', 'run'] as const;

/** @throws {LessonError} */
export function readLesson(path: string, file: string): Lesson {
  const [, number, name] = /(?:^|\/)(\d+)-([a-z-]+)\.md$/.exec(path) ?? [];
  if (number === undefined || name === undefined) {
    throw new LessonError(`${path} is not called like 3-clipping.md.`);
  }
  const [, top, text] = /^---\n(.*?)\n---\n(.*)$/s.exec(file) ?? [];
  if (top === undefined || text === undefined) {
    throw new LessonError(`${path} has no lines between --- and --- at its top.`);
  }
  const lines = new Map(
    top.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
  const [title, summary, depth, run] = fields.map((field) => {
    const value = lines.get(field);
    if (!value) throw new LessonError(`${path} has no ${field} at its top.`);
    return value;
  }) as [string, string, string, string];
  return { name, number: Number(number), title, summary, depth, run, text };
}
