/** JSON as written by Python, with NaN and Infinity, which standard JSON lacks. */

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
 * Parses such JSON. Non-finite numbers are returned as strings; `numberIn` converts them.
 *
 * @throws {JsonError}
 */
export function parseLooseJson(text: string, limits: JsonLimits): unknown {
  return parseJson(/NaN|Infinity/.test(text) ? quoted(text) : text, limits);
}

/** Quotes NaN and Infinity outside of strings. */
function quoted(text: string): string {
  let result = '';
  let from = 0;
  for (const { 0: found, index } of text.matchAll(/"|-?\bInfinity\b|\bNaN\b/g)) {
    // Inside a string, which has already been copied.
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

/** After the closing quotation mark of a string. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const letter = text[at];
    if (letter === '\\') at++;
    else if (letter === '"') return at + 1;
  }
  return text.length;
}

/** A number, including non-finite ones and those in quotation marks. */
export function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? numberOf(value) : undefined;
}

/** Parses a number in Python or JSON notation; undefined for any other text. */
export function numberOf(text: string): number | undefined {
  const trimmed = text.trim();
  const named = NUMBERS.get(trimmed);
  if (named !== undefined) return named;
  // Excludes hexadecimal numbers and empty strings, which `Number` accepts.
  return /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(trimmed) ? Number(trimmed) : undefined;
}

/** The value as an object; null for a list or any other value. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/**
 * The numbers within a value by path, flattened as tools do: `info/learner/kl`.
 *
 * @param most maximum nesting depth
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
