/**
 * Pages of a numeric Parquet column (https://parquet.apache.org/docs/file-format/data-pages/). Read
 * here instead of by a library because counts and run lengths are untrusted: each is checked
 * against the page's bytes and the file's rows.
 */

import { LogError } from './error.ts';

/** A value of Thrift's compact protocol, limited to what page headers contain. */
type Thrift = number | ReadonlyMap<number, Thrift> | null;

const STOP = 0;
const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;
/** Maximum nesting depth of structs and lists; a footer nests 8 deep. */
const MOST_DEPTH = 16;

const damaged = (what: string) => new LogError(`is damaged: ${what}`);

class Cursor {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw damaged('a page is truncated');
    return byte;
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 63; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw damaged('a number has more than 63 bits');
  }

  zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  take(length: number): Uint8Array {
    if (!(length >= 0 && length <= this.left)) throw damaged('a page is truncated');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

function readStruct(cursor: Cursor, depth = 0): ReadonlyMap<number, Thrift> {
  if (depth > MOST_DEPTH) throw damaged('a header is nested too deeply');
  const fields = new Map<number, Thrift>();
  let id = 0;
  for (;;) {
    const head = cursor.byte();
    if ((head & 15) === STOP) return fields;
    id = head >> 4 === 0 ? cursor.zigzag() : id + (head >> 4);
    fields.set(id, readThrift(cursor, head & 15, depth));
  }
}

function readThrift(cursor: Cursor, type: number, depth: number): Thrift {
  if (type === TRUE || type === FALSE) return Number(type === TRUE);
  if (type === BYTE) return cursor.byte();
  if (type > BYTE && type <= I64) return cursor.zigzag();
  if (type === STRUCT) return readStruct(cursor, depth + 1);
  if (type === DOUBLE) cursor.take(8);
  else if (type === BINARY) cursor.take(cursor.varint());
  else if (type === LIST) {
    const head = cursor.byte();
    const count = head >> 4 === 15 ? cursor.varint() : head >> 4;
    // Every item takes at least one byte.
    if (count > cursor.left) throw damaged('a header is truncated');
    for (let i = 0; i < count; i++) readThrift(cursor, head & 15, depth + 1);
  } else throw damaged('a header has an unknown field');
  return null;
}

/**
 * Checks a footer's lengths before a library allocates as many items as a list claims.
 *
 * @throws {LogError} for more items than bytes
 */
export function checkFooter(bytes: Uint8Array): void {
  readStruct(new Cursor(bytes));
}

/** A column chunk's description. */
interface Chunk {
  readonly bytes: Uint8Array;
  readonly type: string;
  /** Whether it has definition levels, which mark missing values. */
  readonly optional: boolean;
  /** Number of rows in its row group. */
  readonly rows: number;
  /** @throws {LogError} for an impossible length */
  readonly unpack: (packed: Uint8Array, length: number) => Uint8Array;
}

const DATA = 0;
const DICTIONARY = 2;
const DATA_V2 = 3;

const field = (fields: ReadonlyMap<number, Thrift>, id: number): number => {
  const value = fields.get(id);
  if (typeof value !== 'number') throw damaged('a page header lacks a field');
  return value;
};

const struct = (fields: ReadonlyMap<number, Thrift>, id: number): ReadonlyMap<number, Thrift> => {
  const value = fields.get(id);
  if (value instanceof Map) return value;
  throw damaged('a page header lacks a field');
};

/**
 * The values of a chunk with their row indices, from 0.
 *
 * @throws {LogError}
 */
export function readChunk(chunk: Chunk, take: (row: number, value: number) => void): void {
  const cursor = new Cursor(chunk.bytes);
  let dictionary: Float64Array | null = null;
  for (let row = 0; row < chunk.rows && cursor.left > 0; ) {
    const header = readStruct(cursor);
    const type = field(header, 1);
    const length = field(header, 2);
    const packed = cursor.take(field(header, 3));
    if (type === DICTIONARY) {
      const count = field(struct(header, 7), 1);
      dictionary = plain(new Cursor(chunk.unpack(packed, length)), chunk.type, count);
      continue;
    }
    if (type !== DATA && type !== DATA_V2) throw damaged('a page has an unknown type');
    const page =
      type === DATA
        ? firstForm(chunk, header, packed, length)
        : secondForm(chunk, header, packed, length);
    if (page.count > chunk.rows - row) throw damaged('a page has more rows than its row group');
    const present =
      page.levels === null ? page.count : page.levels.reduce((sum, one) => sum + one, 0);
    const values = decode(page, chunk.type, present, dictionary);
    let next = 0;
    for (let i = 0; i < page.count; i++) {
      if (page.levels === null || page.levels[i] === 1) take(row + i, values[next++] ?? Number.NaN);
    }
    row += page.count;
    if (page.count === 0 && packed.length === 0) throw damaged('a page is empty');
  }
}

interface Page {
  readonly count: number;
  readonly encoding: number;
  /** 1 for a value, 0 for a missing one; null if none is missing. */
  readonly levels: Uint8Array | null;
  readonly data: Cursor;
}

function firstForm(
  { optional, rows, unpack }: Chunk,
  header: ReadonlyMap<number, Thrift>,
  packed: Uint8Array,
  length: number,
): Page {
  const about = struct(header, 5);
  const count = countOf(field(about, 1), rows);
  const data = new Cursor(unpack(packed, length));
  let levels: Uint8Array | null = null;
  if (optional) {
    if (data.left < 4) throw damaged('a page is truncated');
    const bytes = data.view.getUint32(data.at, true);
    data.at += 4;
    levels = Uint8Array.from(hybrid(new Cursor(data.take(bytes)), 1, count));
  }
  return { count, encoding: field(about, 2), levels, data };
}

function secondForm(
  { optional, rows, unpack }: Chunk,
  header: ReadonlyMap<number, Thrift>,
  packed: Uint8Array,
  length: number,
): Page {
  const about = struct(header, 8);
  const count = countOf(field(about, 1), rows);
  const whole = new Cursor(packed);
  const [definition, repetition] = [field(about, 5), field(about, 6)];
  whole.take(repetition);
  const level = new Cursor(whole.take(definition));
  const levels = optional ? Uint8Array.from(hybrid(level, 1, count)) : null;
  const rest = whole.take(whole.left);
  const isPacked = about.get(7) !== 0;
  const data = isPacked ? unpack(rest, length - definition - repetition) : rest;
  return { count, encoding: field(about, 4), levels, data: new Cursor(data) };
}

function countOf(count: number, rows: number): number {
  if (count >= 0 && count <= rows) return count;
  throw damaged(`a page claims ${count} values`);
}

const encodings: readonly string[] = [
  ...['PLAIN', '', 'PLAIN_DICTIONARY', 'RLE', 'BIT_PACKED', 'DELTA_BINARY_PACKED'],
  ...['DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY', 'RLE_DICTIONARY', 'BYTE_STREAM_SPLIT'],
];

function decode(
  { encoding, data }: Page,
  type: string,
  count: number,
  dictionary: Float64Array | null,
): Float64Array {
  const name = encodings[encoding] ?? `number ${encoding}`;
  if (name === 'PLAIN') return plain(data, type, count);
  if (name === 'RLE' && type === 'BOOLEAN') {
    data.take(4);
    return hybrid(data, 1, count);
  }
  if (name === 'PLAIN_DICTIONARY' || name === 'RLE_DICTIONARY') {
    if (dictionary === null) throw damaged('a page refers to a missing dictionary');
    if (count === 0) return new Float64Array(0);
    const places = hybrid(data, data.byte(), count);
    return places.map((place) => dictionary[place] ?? Number.NaN);
  }
  if (name === 'BYTE_STREAM_SPLIT') return split(data, type, count);
  throw new LogError(
    `has numbers encoded as ${name}; write the file with PLAIN or dictionary encoding`,
  );
}

const numbers: Readonly<
  Record<string, { readonly width: number; readonly read: (view: DataView, at: number) => number }>
> = {
  INT32: { width: 4, read: (view, at) => view.getInt32(at, true) },
  INT64: { width: 8, read: (view, at) => Number(view.getBigInt64(at, true)) },
  FLOAT: { width: 4, read: (view, at) => view.getFloat32(at, true) },
  DOUBLE: { width: 8, read: (view, at) => view.getFloat64(at, true) },
};

/** Whether columns of this type contain supported numbers. */
export const isNumeric = (type: string | undefined) =>
  type !== undefined && (type === 'BOOLEAN' || type in numbers);

function plain(data: Cursor, type: string, count: number): Float64Array {
  if (type === 'BOOLEAN') {
    const bits = data.take(Math.ceil(count / 8));
    return Float64Array.from({ length: count }, (_, i) => ((bits[i >> 3] ?? 0) >> (i & 7)) & 1);
  }
  const form = numbers[type];
  if (form === undefined) throw damaged('a column is not numeric');
  const bytes = data.take(count * form.width);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: count }, (_, i) => form.read(view, i * form.width));
}

/** BYTE_STREAM_SPLIT: the first bytes of all values, then all second bytes, and so on. */
function split(data: Cursor, type: string, count: number): Float64Array {
  const form = numbers[type];
  if (form === undefined) throw damaged('a column is not numeric');
  const bytes = data.take(count * form.width);
  const together = new Uint8Array(bytes.length);
  for (let i = 0; i < count; i++) {
    for (let part = 0; part < form.width; part++) {
      together[i * form.width + part] = bytes[part * count + i] ?? 0;
    }
  }
  return plain(new Cursor(together), type, count);
}

/** RLE/bit-packing hybrid: runs of a repeated value, and groups of eight values of `width` bits each. */
function hybrid(data: Cursor, width: number, count: number): Float64Array {
  if (width > 32) throw damaged('its numbers have more than 32 bits');
  const values = new Float64Array(count);
  if (width === 0) return values;
  let at = 0;
  while (at < count) {
    const head = data.varint();
    if (head % 2 === 0) {
      let value = 0;
      for (let byte = 0; byte < Math.ceil(width / 8); byte++)
        value += data.byte() * 2 ** (8 * byte);
      const end = Math.min(count, at + head / 2);
      if (end === at) throw damaged('a run is empty');
      values.fill(value, at, end);
      at = end;
      continue;
    }
    const packed = data.take(Math.min(data.left, ((head - 1) / 2) * width));
    const end = Math.min(count, at + Math.floor((8 * packed.length) / width));
    if (end === at) throw damaged('a page is truncated');
    for (let bit = 0; at < end; at++, bit += width) values[at] = bitsAt(packed, bit, width);
  }
  return values;
}

function bitsAt(bytes: Uint8Array, from: number, width: number): number {
  let value = 0;
  for (let bit = 0; bit < width; bit++) {
    const place = from + bit;
    value += (((bytes[place >> 3] ?? 0) >> (place & 7)) & 1) * 2 ** bit;
  }
  return value;
}
