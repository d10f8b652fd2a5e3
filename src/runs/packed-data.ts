/**
 * Plain data as bytes, without loss. The structure is JSON. Long lists of numbers are stored as
 * binary columns, each of the narrowest type that represents all its values: JSON would write them
 * slowly and cannot represent NaN and −0.
 *
 * Layout: the length of the JSON text in 4 bytes, little-endian; the text in UTF-8; the columns. In
 * the text, `{"$":[type,offset,length]}` refers to a column that starts `offset` bytes after the
 * text, and `{"$":"NaN"}` is a number that JSON cannot represent.
 */

import { JsonError, readJson } from '../files/json.ts';
import { jsonLimits } from '../files/limits.ts';

/** Thrown for bytes that `packData` did not write; the message is the end of a sentence. */
export class PackedDataError extends Error {
  override readonly name = 'PackedDataError';
}

const columnTypes = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;
type ColumnType = keyof typeof columnTypes;

/** Shorter lists take no more space in JSON. */
const SHORTEST_COLUMN = 8;
const LENGTH_BYTES = 4;

/** @param value objects, lists, strings, numbers, booleans and null, without the key `$` */
export function packData(value: unknown): Uint8Array<ArrayBuffer> {
  const columns: Uint8Array[] = [];
  let offset = 0;
  const form = (part: unknown): unknown => {
    if (typeof part === 'number') return isJsonNumber(part) ? part : { $: asWord(part) };
    if (Array.isArray(part)) {
      if (part.length < SHORTEST_COLUMN || !part.every((n) => typeof n === 'number')) {
        return part.map(form);
      }
      const type = narrowest(part);
      const bytes = new Uint8Array(columnTypes[type].from(part).buffer);
      columns.push(bytes);
      offset += bytes.length;
      return { $: [type, offset - bytes.length, part.length] };
    }
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, child]) => [key, form(child)]));
  };
  const text = new TextEncoder().encode(JSON.stringify(form(value)));
  const start = LENGTH_BYTES + text.length;
  const bytes = new Uint8Array(start + offset);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, LENGTH_BYTES);
  let at = start;
  for (const column of columns) {
    bytes.set(column, at);
    at += column.length;
  }
  return bytes;
}

/** @throws {PackedDataError} */
export function unpackData(bytes: Uint8Array): unknown {
  if (bytes.length < LENGTH_BYTES) throw new PackedDataError('it is too short');
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const start = LENGTH_BYTES + length;
  if (start > bytes.length) throw new PackedDataError('it is cut off');
  const columns = bytes.subarray(start);
  let form: unknown;
  try {
    form = readJson(bytes.subarray(LENGTH_BYTES, start), jsonLimits.packed);
  } catch (error) {
    if (error instanceof JsonError) throw new PackedDataError(`it ${error.message}`);
    throw error;
  }
  let unread = columns.length;
  const read = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(read);
    if (typeof part !== 'object' || part === null) return part;
    if ('$' in part) {
      const numbers = readNumbers(part.$, columns, unread);
      if (typeof numbers === 'number') return numbers;
      unread -= numbers.bytes;
      return numbers.list;
    }
    return Object.fromEntries(Object.entries(part).map(([key, child]) => [key, read(child)]));
  };
  return read(form);
}

/** @param unread bytes of the columns that no list has read yet; columns must not overlap */
function readNumbers(
  word: unknown,
  columns: Uint8Array,
  unread: number,
): number | { readonly list: number[]; readonly bytes: number } {
  if (word === '-0' || word === 'NaN' || word === 'Infinity' || word === '-Infinity') {
    return Number(word);
  }
  const [type, offset, length]: readonly unknown[] = Array.isArray(word) ? word : [];
  if (!isColumnType(type) || !isCount(offset) || !isCount(length)) {
    throw new PackedDataError('it refers to a column of numbers with an unknown type or position');
  }
  const column = columnTypes[type];
  const bytes = length * column.BYTES_PER_ELEMENT;
  const end = offset + bytes;
  if (end > columns.length) throw new PackedDataError('it is cut off within a list of numbers');
  if (bytes > unread) throw new PackedDataError('two of its lists of numbers overlap');
  // Copied for alignment: typed arrays must start at a multiple of their element size.
  const copy = Uint8Array.from(columns.subarray(offset, end)).buffer;
  return { list: Array.from(new column(copy)), bytes };
}

function narrowest(numbers: readonly number[]): ColumnType {
  const all = (test: (n: number) => boolean) => numbers.every(test);
  const whole = (below: number) => (n: number) =>
    Number.isInteger(n) && n >= 0 && n < below && !Object.is(n, -0);
  if (all(whole(2 ** 8))) return 'u8';
  if (all(whole(2 ** 16))) return 'u16';
  if (all(whole(2 ** 32))) return 'u32';
  return all((n) => Object.is(Math.fround(n), n)) ? 'f32' : 'f64';
}

const isJsonNumber = (n: number) => Number.isFinite(n) && !Object.is(n, -0);
const asWord = (n: number) => (Object.is(n, -0) ? '-0' : String(n));
const isColumnType = (type: unknown): type is ColumnType =>
  typeof type === 'string' && Object.hasOwn(columnTypes, type);
const isCount = (n: unknown): n is number =>
  typeof n === 'number' && Number.isSafeInteger(n) && n >= 0;
