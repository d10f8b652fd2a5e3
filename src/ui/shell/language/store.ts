/** The language of the page: from the address, the user's choice, or the browser. */
import { create } from 'zustand';
import { readKept, whenForgotten, writeKept } from '../browser/kept.ts';
import { current } from './current.ts';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** The name of each language in that language. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/** Name of the address parameter and of the stored choice. */
export const LANGUAGE = 'language';

export const useLanguage = create<{ readonly language: Language }>()(() => ({ language: 'en' }));

const english = { translate: null, render: null };

const languageOf = (text: string | null | undefined) => languages.find((one) => one === text);
const usual = () => languageOf(navigator.language.slice(0, 2)) ?? 'en';

whenForgotten(() => void show(usual()));

/** Shows the page in a language; in English if the texts cannot be loaded. */
async function show(language: Language): Promise<void> {
  try {
    Object.assign(current, language === 'en' ? english : await import('./german.ts'));
  } catch {
    Object.assign(current, english);
  }
  const loaded = current.translate === null ? 'en' : language;
  document.documentElement.lang = loaded;
  useLanguage.setState({ language: loaded });
}

/** Reads the language from the address, and loads its texts. */
export async function openLanguage(search: string): Promise<void> {
  const addressed = languageOf(new URLSearchParams(search).get(LANGUAGE));
  if (addressed !== undefined) writeKept(LANGUAGE, addressed);
  await show(addressed ?? languageOf(readKept(LANGUAGE)) ?? usual());
}

/** Switches the language, also for later visits. */
export async function chooseLanguage(language: Language): Promise<void> {
  writeKept(LANGUAGE, language);
  await show(language);
}
