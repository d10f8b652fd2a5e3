/** Values as tools take and give them, and how they are written: as JSON with single spaces. */

export type Scalar = string | number | boolean;

export type Json = Scalar | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

/** `{"id": "t4", "minutes": 30}`: one lexeme for each key with its colon, each value, each mark. */
export function print(value: Json): string {
  if (typeof value === 'string')
    return NEEDS_ESCAPES.test(value) ? JSON.stringify(value) : `"${value}"`;
  if (typeof value !== 'object') return String(value);
  let members = '';
  if (isList(value)) {
    for (const item of value) members += members === '' ? print(item) : `, ${print(item)}`;
    return `[${members}]`;
  }
  // Concatenated, for a turn prints dozens of calls.
  for (const key in value) {
    const member = value[key];
    if (member !== undefined) members += `${members === '' ? '' : ', '}"${key}": ${print(member)}`;
  }
  return `{${members}}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const NEEDS_ESCAPES = /["\\\u0000-\u001f]/;

/** `Array.isArray` does not know read-only lists. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether two values are written alike. */
export function isEqual(a: Json, b: Json | undefined): boolean {
  if (a === b) return true;
  if (b === undefined || typeof a !== 'object' || typeof b !== 'object') return false;
  if (isList(a)) {
    return isList(b) && a.length === b.length && a.every((item, i) => isEqual(item, b[i]));
  }
  if (isList(b)) return false;
  return isEqual(Object.keys(a), Object.keys(b)) && isEqual(Object.values(a), Object.values(b));
}

/** The texts, numbers and truth values in a value, in the order in which they are written. */
export function scalarsOf(value: Json, found: Scalar[] = []): Scalar[] {
  if (typeof value !== 'object') found.push(value);
  else for (const part of isList(value) ? value : Object.values(value)) scalarsOf(part, found);
  return found;
}

/** The lexemes of objects with these keys: the first key stands with the bracket before it. */
export function keyLexemes(keys: readonly string[]): readonly string[] {
  return keys.map((key, i) => (i === 0 ? `{"${key}":` : `"${key}":`));
}

/**
 * Reads a text that should be an object of JSON; null for any other text, and for null or an endless
 * number anywhere in it, which no tool takes.
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
