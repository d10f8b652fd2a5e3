/** Values that tools accept and return, written as JSON with single spaces. */

export type Scalar = string | number | boolean;

export type Json = Scalar | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

/** `{"id": "t4", "minutes": 30}`: a lexeme is a key with its colon, a value or a punctuation mark. */
export function print(value: Json): string {
  if (typeof value === 'string')
    return NEEDS_ESCAPES.test(value) ? JSON.stringify(value) : `"${value}"`;
  if (typeof value !== 'object') return String(value);
  let members = '';
  if (isList(value)) {
    for (const item of value) members += members === '' ? print(item) : `, ${print(item)}`;
    return `[${members}]`;
  }
  // Concatenated for speed, because a turn prints dozens of calls.
  for (const key in value) {
    const member = value[key];
    if (member !== undefined) members += `${members === '' ? '' : ', '}"${key}": ${print(member)}`;
  }
  return `{${members}}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const NEEDS_ESCAPES = /["\\\u0000-\u001f]/;

/** `Array.isArray` does not narrow read-only lists. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether two values are written the same way. */
export function isEqual(a: Json, b: Json | undefined): boolean {
  if (a === b) return true;
  if (b === undefined || typeof a !== 'object' || typeof b !== 'object') return false;
  if (isList(a)) {
    return isList(b) && a.length === b.length && a.every((item, i) => isEqual(item, b[i]));
  }
  if (isList(b)) return false;
  return isEqual(Object.keys(a), Object.keys(b)) && isEqual(Object.values(a), Object.values(b));
}

/** The texts, numbers and booleans in a value, in the order of its text. */
export function scalarsOf(value: Json, found: Scalar[] = []): Scalar[] {
  if (typeof value !== 'object') found.push(value);
  else for (const part of isList(value) ? value : Object.values(value)) scalarsOf(part, found);
  return found;
}

/** The lexemes of objects with these keys: the first key includes the brace before it. */
export function keyLexemes(keys: readonly string[]): readonly string[] {
  return keys.map((key, i) => (i === 0 ? `{"${key}":` : `"${key}":`));
}

/**
 * Parses a JSON object; null for any other text, and if it contains null or an infinite number, which no tool
 * accepts.
 */
export function readObject(text: string): JsonObject | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isJson(value) && typeof value === 'object' && !isList(value) ? value : null;
}

function isJson(value: unknown): value is Json {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isJson);
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}
