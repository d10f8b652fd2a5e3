/**
 * Python's repr of dicts, lists, strings and numbers, as printed to the console. Numbers may be
 * wrapped by NumPy: `np.float64(0.5)`.
 */

import { numberOf } from './loose-json.ts';

/** Maximum nesting depth. */
const MOST_DEPTH = 24;

class NotPython extends Error {}

/** The value at the start of a text; undefined if there is none. */
export function parsePython(text: string): unknown {
  try {
    return new Parser(text).value(0);
  } catch (error) {
    if (error instanceof NotPython) return undefined;
    throw error;
  }
}

const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['True', true],
  ['False', false],
  ['None', null],
]);

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): unknown {
    if (depth > MOST_DEPTH) throw new NotPython();
    const letter = this.#peek();
    if (letter === '{') return this.#dict(depth);
    if (letter === '[') return this.#list(']', depth);
    if (letter === '(') return this.#list(')', depth);
    if (letter === "'" || letter === '"') return this.#string(letter);
    return this.#word(depth);
  }

  #peek(): string | undefined {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
    return this.#text[this.#at];
  }

  /** Consumes the next character if it is this one; returns whether it was. */
  #takes(letter: string): boolean {
    if (this.#peek() !== letter) return false;
    this.#at++;
    return true;
  }

  #dict(depth: number): Record<string, unknown> {
    this.#at++;
    const entries: [string, unknown][] = [];
    while (!this.#takes('}')) {
      const key = this.value(depth + 1);
      if (!this.#takes(':')) throw new NotPython();
      entries.push([String(key), this.value(depth + 1)]);
      if (!this.#takes(',') && this.#peek() !== '}') throw new NotPython();
    }
    return Object.fromEntries(entries);
  }

  #list(end: string, depth: number): unknown[] {
    this.#at++;
    const items: unknown[] = [];
    while (!this.#takes(end)) {
      items.push(this.value(depth + 1));
      if (!this.#takes(',') && this.#peek() !== end) throw new NotPython();
    }
    return items;
  }

  #string(quote: string): string {
    let from = ++this.#at;
    let text = '';
    for (;;) {
      const letter = this.#text[this.#at];
      if (letter === undefined) throw new NotPython();
      if (letter === quote) break;
      if (letter === '\\') {
        text += this.#text.slice(from, this.#at) + (this.#text[this.#at + 1] ?? '');
        this.#at += 2;
        from = this.#at;
      } else this.#at++;
    }
    text += this.#text.slice(from, this.#at);
    this.#at++;
    return text;
  }

  /** A number, a name, or a call around a value: `np.float64(1.5)`, `tensor(2.)`. */
  #word(depth: number): unknown {
    const from = this.#at;
    while (/[\w.+-]/.test(this.#text[this.#at] ?? '')) this.#at++;
    const word = this.#text.slice(from, this.#at);
    if (word === '') throw new NotPython();
    if (words.has(word)) return words.get(word);
    if (this.#text[this.#at] === '(') {
      const [first] = this.#list(')', depth + 1);
      return first;
    }
    const number = numberOf(word);
    if (number === undefined) throw new NotPython();
    return number;
  }
}
