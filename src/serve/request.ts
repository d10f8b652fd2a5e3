/** Parses requests: a path's parts, and the fields of queries and bodies, each checked before use. */

import { JsonError, readJson } from '../files/json.ts';
import { bodyLimits } from './limits.ts';
import { type Asked, invalid, type Json } from './protocol.ts';

/** Maximum number of digits of an id or a task number; all such numbers are exact. */
const MOST_DIGITS = 15;

export interface Address {
  /** Double slashes count as one, because clients are told to put a slash after the server's address. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

export function addressOf({ target }: Asked): Address {
  const [path = '', ...query] = target.split('?');
  return {
    parts: path.split('/').filter((part) => part !== ''),
    query: new URLSearchParams(query.join('?')),
  };
}

/** The fields of a body, or of a query, whose values are all strings. */
export interface Fields {
  readonly place: 'body' | 'query';
  get(name: string): unknown;
}

/** The fields of a body. */
interface BodyFields extends Fields {
  all(): { readonly [name: string]: Json };
}

/** Throws a `Refusal` with status 422. A missing body has no fields. */
export function bodyOf({ body }: Asked): BodyFields {
  if (body.length === 0) return { place: 'body', get: () => undefined, all: () => ({}) };
  let value: unknown;
  try {
    value = readJson(body, bodyLimits);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw invalid('body', '', `The body ${error.message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('body', '', 'The body should be a JSON object');
  }
  const fields = new Map(Object.entries(value));
  return {
    place: 'body',
    get: (name) => fields.get(name),
    all: () => value as { readonly [name: string]: Json },
  };
}

export function queryOf({ query }: Address): Fields {
  return { place: 'query', get: (name) => query.get(name) ?? undefined };
}

/** A non-negative integer; digits in a text count as a number. Throws a `Refusal` with status 422. */
export function wholeNumber(fields: Fields, name: string): number {
  const value = given(fields, name);
  const digits = typeof value === 'string' && /^\d+$/.test(value) && value.length <= MOST_DIGITS;
  const number = digits ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  throw invalid(fields.place, name, 'Input should be a non-negative integer');
}

/** Throws a `Refusal` with status 422. */
export function text(fields: Fields, name: string): string {
  const value = given(fields, name);
  if (typeof value === 'string') return value;
  throw invalid(fields.place, name, 'Input should be a string');
}

function given(fields: Fields, name: string): unknown {
  const value = fields.get(name);
  if (value === undefined || value === null) throw invalid(fields.place, name, 'Field required');
  return value;
}
