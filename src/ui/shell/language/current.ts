import type { Translate } from './translate.ts';

/** Translation functions of the page's language; null while the page is in English. */
export const current: {
  translate: Translate | null;
  /** The translated properties of an element, as in `rendered.ts`. */
  render: (<P>(type: unknown, properties: P) => P) | null;
} = { translate: null, render: null };

/** A text in the page's language; unchanged if it has no translation. */
export const shown = (text: string): string => current.translate?.(text) ?? text;

/** The properties of an element in the page's language. */
export const rendered = <P>(type: unknown, properties: P): P =>
  current.render === null ? properties : current.render(type, properties);
