/** JSON as Python writes it, with NaN and Infinity, which are numbers there and no JSON. */

import { parseJson } from '../../files/json.ts';
import type { JsonLimits } from '../../files/limits.ts';

const NUMBERS: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['nan', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['inf', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-inf', Number.NEGATIVE_INFINITY],
]);

/**
 * The value of such a text. What is no finite number comes as a text; `numberIn` makes the number of it.
 *
 * @throws {JsonError}
 */
export function parseLooseJson(text: string, limits: JsonLimits): unknown {
  return parseJson(/NaN|Infinity/.test(text) ? quoted(text) : text, limits);
}

/** Puts NaN and Infinity outside of texts into quotation marks. */
function quoted(text: string): string {
  let result = '';
  let from = 0;
  for (const { 0: found, index } of text.matchAll(/"|-?\bInfinity\b|\bNaN\b/g)) {
    // Within a text that has been taken over already.
    if (index < from) continue;
    if (found !== '"') {
      result += `${text.slice(from, index)}"${found}"`;
      from = index + found.length;
      continue;
    }
    const end = endOfText(text, index);
    result += text.slice(from, end);
    from = end;
  }
  return result + text.slice(from);
}

/** Behind the quotation mark that ends a text. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const letter = text[at];
    if (letter === '\\') at++;
    else if (letter === '"') return at + 1;
  }
  return text.length;
}

/** A number, also where it is not finite or stands in quotation marks as tables write it. */
export function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? numberOf(value) : undefined;
}

/** Python's and JSON's ways to write a number; undefined for any other text. */
export function numberOf(text: string): number | undefined {
  const trimmed = text.trim();
  const named = NUMBERS.get(trimmed);
  if (named !== undefined) return named;
  // Neither hexadecimal nor empty, which `Number` takes.
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(trimmed) ? Number(trimmed) : undefined;
}

/** Texts, lists and what is none. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/**
 * The numbers within a value by their paths, as tools flatten them: `info/learner/kl`.
 *
 * @param most levels of objects in one another
 */
export function flatten(
  value: Readonly<Record<string, unknown>>,
  take: (key: string, value: number) => void,
  most = 12,
  prefix = '',
): void {
  for (const [key, one] of Object.entries(value)) {
    const number = numberIn(one);
    if (number !== undefined) take(prefix + key, number);
    else if (most > 1) {
      const inner = recordOf(one);
      if (inner !== null) flatten(inner, take, most - 1, `${prefix}${key}/`);
    }
  }
}
