/** Translates displayed texts with a catalog of sentences and sentence patterns. */

/**
 * English texts and their translations. An entry is one sentence, label or fragment. `{a}` to `{z}` are
 * inserted texts, which are translated on their own; `<0>` to `<9>` are elements inside the sentence.
 * A translation has the same ones, in any order.
 */
export type Catalog = Readonly<Record<string, string>>;

/** The translation of a text; null if the catalog has none. */
export type Translate = (text: string) => string | null;

/** An element inside a text is represented by one character of a private-use area. */
const FIRST_ELEMENT = 0xe000;
export const elementMark = (index: number) => String.fromCharCode(FIRST_ELEMENT + index);
export const isElementMark = (text: string) => /^[\ue000-\ue0ff]$/.test(text);
export const elementAt = (mark: string) => mark.charCodeAt(0) - FIRST_ELEMENT;
/** Splits a text before and after its elements. */
export const cutAtElements = (text: string) => text.split(/([\ue000-\ue0ff])/);

/**
 * Patterns with fewer letters match only if all inserted texts can be translated. Labels, such as
 * `Goal: {a}`, always match.
 */
const FEW_LETTERS = 8;
const isLabeled = (head: string) => /^\p{L}.*: $/u.test(head);
/** Live numbers produce new texts all the time, so the cache is cleared when it is full. */
const MOST_CACHED = 5000;

/** In characters. Longer texts are data, on which matching would be slow. */
const LONGEST_SENTENCE = 1000;

/** Splits a text into sentences, which are the keys of a catalog. */
export const sentencesOf = (text: string): readonly string[] =>
  text.split(/(?<=[.!?…][)"”’]?)\s+(?=[A-Z“"({<0-9\ue000-\ue0ff])/);

interface Pattern {
  /** Literal text before the first and after the last placeholder. */
  readonly head: string;
  readonly tail: string;
  readonly letters: number;
  readonly regex: RegExp;
  /** The names of the placeholders, in the order of the English text. */
  readonly slots: readonly string[];
  readonly translation: string;
}

/** A pattern’s translation of a text. */
interface Filled {
  readonly letters: number;
  /** Whether all inserted texts are translated too; such a pattern takes precedence. */
  readonly isWhole: boolean;
  readonly translation: string;
}

/** A placeholder for text or for an element. */
export const slot = /\{([a-z])\}|<(\d)>/g;
const hasSlot = (text: string) => text.search(slot) >= 0;
const lettersIn = (text: string) => text.replace(/[^\p{L}]/gu, '').length;
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

function patternOf(english: string, translation: string): Pattern {
  const slots: string[] = [];
  const literals: string[] = [];
  let source = '';
  let from = 0;
  for (const { 0: whole, 1: text, 2: element = '', index } of english.matchAll(slot)) {
    const literal = english.slice(from, index);
    literals.push(literal);
    // An inserted text contains neither the end of a sentence nor an element.
    source +=
      escaped(literal) +
      (text === undefined ? '([\\ue000-\\ue0ff])' : '((?:(?![.!?] [A-Z])[^\\ue000-\\ue0ff])+?)');
    slots.push(text ?? element);
    from = index + whole.length;
  }
  const tail = english.slice(from);
  return {
    head: literals[0] ?? '',
    tail,
    letters: lettersIn(literals.join('') + tail),
    regex: new RegExp(`^${source}${escaped(tail)}$`, 'su'),
    slots,
    translation,
  };
}

/**
 * Index keys: the first characters, the last characters, and ''. A pattern is listed under its first key; a
 * text is looked up under all of its keys.
 */
const keysOf = (head: string, tail: string): readonly string[] => [
  ...(head.length < KEY_LENGTH ? [] : [`${head.slice(0, KEY_LENGTH)}…`]),
  ...(tail.length < KEY_LENGTH ? [] : [`…${tail.slice(-KEY_LENGTH)}`]),
  '',
];
const KEY_LENGTH = 3;

const isName = (text: string) => /^\p{Lu}[\p{L}\d-]*$/u.test(text);

/** A number with thousands separators or decimals; not a version or an address. */
const number = /(?<![\d.,\p{L}])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)(?![\d.,]*\d)/gu;
const unit = /(?<=\d)\s?(?:[kM]|m?s|min|h|[kMGT]B|e[−-]?\d+)(?!\p{L})/gu;

/** Converts a text of numbers to German notation; null if it contains words. */
function numbersIn(text: string): string | null {
  if (/\p{L}/u.test(text.replace(unit, ''))) return null;
  return text
    .replace(number, (one) => one.replace(/[.,]/g, (mark) => (mark === '.' ? ',' : '.')))
    .replace(/(?<=\d)%/g, '\u202f%');
}

/** Creates a translator from a catalog. */
export function translator(catalog: Catalog): Translate {
  const texts = new Map<string, string>();
  const patterns = new Map<string, Pattern[]>();
  for (const [english, translation] of Object.entries(catalog)) {
    if (!hasSlot(english)) {
      texts.set(english, translation);
      continue;
    }
    const pattern = patternOf(english, translation);
    const [key = ''] = keysOf(pattern.head, pattern.tail);
    patterns.set(key, [...(patterns.get(key) ?? []), pattern]);
  }
  // The pattern with the most literal letters comes first.
  for (const list of patterns.values()) list.sort((a, b) => b.letters - a.letters);

  const cache = new Map<string, string | null>();

  function sentence(text: string): string | null {
    if (text.length > LONGEST_SENTENCE) return null;
    return exact(text) ?? numbersIn(text) ?? byPattern(text) ?? unpunctuated(text) ?? listed(text);
  }

  /** Looks up a text; its first letter may be in the other case in the catalog. */
  function exact(text: string): string | null {
    const found = texts.get(text);
    if (found !== undefined) return found;
    const first = text.charAt(0);
    const rest = text.slice(1);
    const small = texts.get(first.toLowerCase() + rest);
    if (small !== undefined) return small.charAt(0).toUpperCase() + small.slice(1);
    return texts.get(first.toUpperCase() + rest) ?? null;
  }

  function byPattern(text: string): string | null {
    let whole: Filled | null = null;
    let partly: Filled | null = null;
    for (const key of keysOf(text, text)) {
      for (const pattern of patterns.get(key) ?? []) {
        if (whole !== null && pattern.letters <= whole.letters) break;
        const found = filled(pattern, text);
        if (found === null) continue;
        if (found.isWhole) whole = found;
        else if (partly === null || found.letters > partly.letters) partly = found;
      }
    }
    return (whole ?? partly)?.translation ?? null;
  }

  /** The translation of a text by this pattern; null if it does not match. */
  function filled(
    { head, tail, letters, regex, slots, translation }: Pattern,
    text: string,
  ): Filled | null {
    if (!text.startsWith(head) || !text.endsWith(tail)) return null;
    const found = regex.exec(text);
    if (found === null) return null;
    const inserted = slots.map((_, i) => {
      const piece = found[i + 1] ?? '';
      return isElementMark(piece) ? piece : cached(piece);
    });
    const isWhole = !inserted.includes(null);
    if (letters < FEW_LETTERS && !isLabeled(head) && !isWhole) return null;
    return {
      letters,
      isWhole,
      translation: translation.replace(slot, (mark, name, element) => {
        const i = slots.indexOf(name ?? element);
        return inserted[i] ?? found[i + 1] ?? mark;
      }),
    };
  }

  /** Translates a fragment with punctuation, such as `: no data` or `(fixed)`. */
  function unpunctuated(text: string): string | null {
    for (const mark of [/^(?:[:;,·–] |\()/, /(?: ?[.:…]|\))$/]) {
      const [taken = ''] = mark.exec(text) ?? [];
      const found = taken === '' ? null : cached(text.replace(mark, ''));
      if (found !== null) return text.startsWith(taken) ? `${taken}${found}` : `${found}${taken}`;
    }
    return null;
  }

  /** Translates several texts in one line: `A · B`, `A, B and C`. */
  function listed(text: string): string | null {
    for (const [separator, last] of [[' · '], [', ', ' and ']] as const) {
      const parts = text.split(last === undefined ? separator : /, | and /);
      if (parts.length < 2) continue;
      const found = parts.map((part) => cached(part) ?? (isName(part) ? part : null));
      if (found.includes(null)) continue;
      return last !== undefined && text.includes(last)
        ? `${found.slice(0, -1).join(separator)} und ${found.at(-1)}`
        : found.join(separator);
    }
    return null;
  }

  function cached(text: string): string | null {
    const known = cache.get(text);
    if (known !== undefined) return known;
    const parts = sentencesOf(text);
    const found = parts.map(sentence);
    const translation = found.every((one) => one === null)
      ? null
      : found.map((one, i) => one ?? parts[i]).join(' ');
    if (cache.size >= MOST_CACHED) cache.clear();
    cache.set(text, translation);
    return translation;
  }

  return (text) => {
    const [, before = '', body = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
    const found = body === '' ? null : cached(body.replace(/\s+/g, ' '));
    return found === null ? null : `${before}${found}${after}`;
  };
}
