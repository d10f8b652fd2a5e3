/** Loads and parses lesson files. Each language is one chunk of the page. */

import type { Language } from '../../shell/language/store.ts';

/** A lesson; see `docs/LESSONS.md`. */
export interface Lesson {
  /** Used in addresses, the same in all languages: the file name without number. */
  readonly name: string;
  /** From 1. */
  readonly number: number;
  readonly title: string;
  /** One sentence for the list. */
  readonly summary: string;
  /** Depth of the lab while the lesson is open. */
  readonly depth: string;
  /** The lesson’s run, as the query of an address without the question mark. */
  readonly run: string;
  /** Markdown with directives. */
  readonly text: string;
}

/** An invalid lesson file; the message says what is missing. */
class LessonError extends Error {
  override readonly name = 'LessonError';
}

const load: Readonly<Record<Language, () => Promise<{ readonly files: Files }>>> = {
  en: () => import('./texts/en.ts'),
  de: () => import('./texts/de.ts'),
};

type Files = Readonly<Record<string, string>>;

const loaded = new Map<Language, Promise<readonly Lesson[]>>();

/** All lessons of a language, in order. Returns the same promise every time, as React’s `use` requires. */
export function loadLessons(language: Language): Promise<readonly Lesson[]> {
  const known = loaded.get(language);
  if (known !== undefined) return known;
  const lessons = load[language]().then(({ files }) => readLessons(files));
  loaded.set(language, lessons);
  // Retry a failed download.
  lessons.catch(() => loaded.delete(language));
  return lessons;
}

/**
 * @param files texts by path
 * @throws {LessonError}
 */
function readLessons(files: Files): readonly Lesson[] {
  return Object.entries(files)
    .map(([path, text]) => readLesson(path, text))
    .sort((a, b) => a.number - b.number);
}

const fields = ['title', 'summary', 'depth', 'run'] as const;

/** @throws {LessonError} */
export function readLesson(path: string, file: string): Lesson {
  const [, number, name] = /(?:^|\/)(\d+)-([a-z-]+)\.md$/.exec(path) ?? [];
  if (number === undefined || name === undefined) {
    throw new LessonError(`${path} must have a name such as 3-clipping.md.`);
  }
  const [, top, text] = /^---\n(.*?)\n---\n(.*)$/s.exec(file) ?? [];
  if (top === undefined || text === undefined) {
    throw new LessonError(`${path} has no front matter between --- and ---.`);
  }
  const lines = new Map(
    top.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
  const [title, summary, depth, run] = fields.map((field) => {
    const value = lines.get(field);
    if (!value) throw new LessonError(`${path} has no ${field} in its front matter.`);
    return value;
  }) as [string, string, string, string];
  return { name, number: Number(number), title, summary, depth, run, text };
}
