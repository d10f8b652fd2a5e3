import type { Translate } from './translate.ts';

/** The translator of the page's language; null while it is English. */
export const current: { translate: Translate | null } = { translate: null };

/** A text in the page's language; unchanged if it has no translation. */
export const shown = (text: string): string => current.translate?.(text) ?? text;
