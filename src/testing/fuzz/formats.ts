/**
 * Format-aware mutations: lengths, offsets and checksums around a change are corrected, so that the
 * change reaches the inner reader.
 */
import { unzipSync, type Zippable, zipSync } from 'fflate';
import type { RandomStream } from '../../training/random.ts';
import {
  extreme,
  few,
  joined,
  joinedAll,
  MOST_BYTES,
  type Mutator,
  mutateBytes,
  oneIn,
  pick,
  words,
} from './bytes.ts';
import { changeText } from './json.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A text, mutated as characters or as bytes. */
export function text(pool: readonly string[] = []): Mutator {
  const texts = [...words, ...pool];
  return (bytes, random) => {
    if (oneIn(random, 3)) return mutateBytes(bytes, random);
    let changed = decoder.decode(bytes);
    for (let i = few(random, 4); i > 0; i--) {
      changed = changeText(changed, texts, random).slice(0, MOST_BYTES);
    }
    return encoder.encode(changed).subarray(0, MOST_BYTES);
  };
}

/** Text that consists of lines. Mutates a line; occasionally omits, duplicates or joins lines. */
export function lines(line: Mutator): Mutator {
  return (bytes, random) => {
    if (oneIn(random, 8)) return mutateBytes(bytes, random);
    const all = decoder.decode(bytes).split('\n');
    const at = random.below(all.length);
    const change = random.below(6);
    if (change === 0) all.splice(at, few(random, 3));
    else if (change === 1) all.push(...all.slice(at, at + 40));
    else all[at] = decoder.decode(line(encoder.encode(all[at] ?? ''), random));
    const between = oneIn(random, 12) ? pick(random, ['', '\r', '\u2028', ',\n']) : '\n';
    return encoder.encode(all.join(between)).subarray(0, MOST_BYTES);
  };
}

/** The query string of a URL. */
export function query(keys: readonly string[], values: readonly string[]): Mutator {
  const pool = [...words, ...values, '1e9', '-1', '0', '3.5', '1,2,3', '[1,2]', '{"a":1}'];
  const other = text(pool);
  return (bytes, random) => {
    if (oneIn(random, 5)) return other(bytes, random);
    const parameters = [...new URLSearchParams(decoder.decode(bytes))];
    for (let i = few(random, 6); i > 0; i--) {
      const at = random.below(parameters.length + 1);
      const [key, value] = parameters[at] ?? [pick(random, keys), pick(random, pool)];
      const changed = (): [string, string] =>
        oneIn(random, 4)
          ? [changeText(key, [...keys, ...words], random), value]
          : [key, oneIn(random, 2) ? pick(random, pool) : changeText(value, pool, random)];
      parameters.splice(at, oneIn(random, 4) ? 0 : 1, changed());
    }
    const written = new URLSearchParams(parameters).toString();
    return encoder.encode(`?${written}`).subarray(0, MOST_BYTES);
  };
}

/** @param inner mutators of the files in the zip, by suffix */
export function zip(inner: Readonly<Record<string, Mutator>>): Mutator {
  return (bytes, random) => {
    if (oneIn(random, 6)) return damagedZip(bytes, random);
    const files = unzipped(bytes);
    if (files === null) return damagedZip(bytes, random);
    for (let i = few(random, 3); i > 0; i--) changeFiles(files, inner, random);
    const level = oneIn(random, 3) ? 6 : 0;
    // The library that writes the zip does not support this name.
    files.delete('__proto__');
    const packed = zipSync(Object.fromEntries(files) as Zippable, {
      ...{ level, mtime: '1980-01-01T00:00:00' },
    });
    return oneIn(random, 8) ? damagedZip(packed, random) : packed;
  };
}

function unzipped(bytes: Uint8Array): Map<string, Uint8Array> | null {
  try {
    return new Map(Object.entries(unzipSync(bytes)));
  } catch {
    return null;
  }
}

function changeFiles(
  files: Map<string, Uint8Array>,
  inner: Readonly<Record<string, Mutator>>,
  random: RandomStream,
): void {
  if (files.size === 0) return;
  const [name, content] = pick(random, [...files]);
  const mutate =
    Object.entries(inner).find(([ending]) => name.endsWith(ending))?.[1] ?? mutateBytes;
  switch (random.below(12)) {
    case 0:
      files.delete(name);
      break;
    case 1:
      files.set(changeText(name, [...words, ...Object.keys(inner)], random).slice(0, 600), content);
      break;
    case 2:
      files.set(`${pick(random, ['a/', '../', '/', 'a/b/'])}${name}`, content);
      break;
    case 3:
      files.set(name, pick(random, [...files.values()]));
      break;
    case 4:
      // Compresses well.
      files.set(name, new Uint8Array(pick(random, [0, 1, MOST_BYTES, 8 * MOST_BYTES])));
      break;
    default:
      files.set(name, mutate(content, random));
  }
}

/** Headers of a zip by signature, with offsets and widths of their fields. */
const headers: Readonly<Record<number, readonly (readonly [number, number])[]>> = {
  67324752: [
    [4, 2],
    [6, 2],
    [8, 2],
    [14, 4],
    [18, 4],
    [22, 4],
    [26, 2],
    [28, 2],
  ],
  33639248: [
    [8, 2],
    [10, 2],
    [16, 4],
    [20, 4],
    [24, 4],
    [28, 2],
    [30, 2],
    [32, 2],
    [42, 4],
  ],
  101010256: [
    [4, 2],
    [8, 2],
    [10, 2],
    [12, 4],
    [16, 4],
    [20, 2],
  ],
};

/** Sets a field of a header to another value, or mutates any bytes. */
const damagedZip: Mutator = (bytes, random) => {
  if (oneIn(random, 3)) return mutateBytes(bytes, random);
  const changed = bytes.slice();
  const view = new DataView(changed.buffer);
  const places: (readonly [number, number])[] = [];
  for (let at = 0; at + 22 <= changed.length; at++) {
    if (changed[at] !== 0x50 || changed[at + 1] !== 0x4b) continue;
    for (const [offset, width] of headers[view.getUint32(at, true)] ?? []) {
      if (at + offset + width <= changed.length) places.push([at + offset, width]);
    }
  }
  for (let i = places.length === 0 ? 0 : few(random, 3); i > 0; i--) {
    const [at, width] = pick(random, places);
    const now = BigInt(width === 2 ? view.getUint16(at, true) : view.getUint32(at, true));
    const number = oneIn(random, 2) ? extreme(random) : now + BigInt(random.below(9)) - 4n;
    if (width === 2) view.setUint16(at, Number(BigInt.asUintN(16, number)), true);
    else view.setUint32(at, Number(BigInt.asUintN(32, number)), true);
  }
  return changed;
};

/** A field of a Protocol Buffers message with its encoded content. */
interface Field {
  id: number;
  wire: number;
  /** The value of wire type 0. */
  number: bigint;
  content: Uint8Array;
}

function readFields(bytes: Uint8Array): Field[] | null {
  let at = 0;
  const varint = (): bigint | null => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) return null;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return null;
  };
  const fields: Field[] = [];
  while (at < bytes.length) {
    const tag = varint();
    if (tag === null || tag >> 3n === 0n || tag >= 1n << 32n) return null;
    const [id, wire] = [Number(tag >> 3n), Number(tag & 7n)];
    const number = wire === 0 || wire === 2 ? varint() : 0n;
    const length = { 0: 0, 1: 8, 2: Number(number), 5: 4 }[wire];
    if (number === null || length === undefined || at + length > bytes.length) return null;
    fields.push({ id, wire, number, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return fields;
}

function varintBytes(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  return Uint8Array.of(...bytes, Number(rest));
}

/** @param claimed a length to write instead of the content's length */
function writeField({ id, wire, number, content }: Field, claimed?: bigint): Uint8Array {
  const tag = varintBytes(BigInt(id) * 8n + BigInt(wire));
  if (wire === 0) return joined(tag, varintBytes(number));
  if (wire !== 2) return joined(tag, content);
  return joined(tag, varintBytes(claimed ?? BigInt(content.length)), content);
}

/** @param leaves mutates contents that are not messages */
export function protobuf(leaves: Mutator = mutateBytes): Mutator {
  const mutate: Mutator = (bytes, random) => {
    if (oneIn(random, 8)) return mutateBytes(bytes, random);
    const fields = readFields(bytes);
    if (fields === null || fields.length === 0) return leaves(bytes, random);
    const parts = fields.map((field) => writeField(field));
    for (let i = few(random, 3); i > 0; i--) {
      const at = random.below(fields.length);
      const field = { ...(fields[at] as Field) };
      if (field.wire === 2 && field.content.length > 0 && !oneIn(random, 4)) {
        field.content = mutate(field.content, random);
        parts[at] = writeField(field);
        continue;
      }
      switch (random.below(7)) {
        case 0:
          parts[at] = new Uint8Array();
          break;
        case 1: {
          const room = Math.floor(MOST_BYTES / Math.max(1, parts[at]?.length ?? 1));
          const times = Math.min(room, pick(random, [2, 3, 70, 5000, 60_000]));
          parts[at] = joinedAll(new Array<Uint8Array>(times).fill(parts[at] ?? new Uint8Array()));
          break;
        }
        case 2:
          field.id = pick(random, [
            1 + random.below(30),
            0,
            2 ** 29,
            Number(extreme(random) >> 11n),
          ]);
          parts[at] = writeField(field);
          break;
        case 3:
          field.wire = random.below(8);
          parts[at] = writeField(field);
          break;
        case 4:
          parts[at] = writeField(field, extreme(random));
          break;
        case 5:
          field.number = extreme(random);
          field.content = new Uint8Array();
          parts[at] = writeField(field);
          break;
        default: {
          const other = random.below(parts.length);
          [parts[at], parts[other]] = [
            parts[other] ?? new Uint8Array(),
            parts[at] ?? new Uint8Array(),
          ];
        }
      }
    }
    return joinedAll(parts);
  };
  return mutate;
}

/** A JSON text that is preceded by its length, and the bytes after it. */
interface Headed {
  readonly json: Uint8Array;
  readonly rest: Uint8Array;
}

function split(bytes: Uint8Array, width: 4 | 8): Headed {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const end = width + view.getUint32(0, true);
  return { json: bytes.subarray(width, end), rest: bytes.subarray(end) };
}

function put({ json, rest }: Headed, width: 4 | 8, length = json.length): Uint8Array {
  const head = new Uint8Array(width);
  new DataView(head.buffer).setUint32(0, length, true);
  return joined(head, json, rest);
}

/** Packed data: four bytes of length, JSON, columns of numbers. */
export function packed(form: Mutator): Mutator {
  return (bytes, random) => {
    if (oneIn(random, 6)) return mutateBytes(bytes, random);
    if (bytes.length < 4) return mutateBytes(bytes, random);
    const parts = split(bytes, 4);
    const changed = oneIn(random, 4)
      ? { ...parts, rest: mutateBytes(parts.rest, random) }
      : { ...parts, json: form(parts.json, random) };
    return put(changed, 4);
  };
}

type Entries = Record<string, { data_offsets?: [number, number]; shape?: number[] }>;

function entriesOf(header: Uint8Array): Entries | null {
  try {
    const found: unknown = JSON.parse(decoder.decode(header));
    return typeof found === 'object' ? (found as Entries | null) : null;
  } catch {
    return null;
  }
}

/** A safetensors file. `last` mutates the content of its last tensor; its offsets are corrected. */
export function safetensors(header: Mutator, last?: Mutator): Mutator {
  return (bytes, random) => {
    if (oneIn(random, 6)) return mutateBytes(bytes, random);
    // A header that an earlier mutation damaged is mutated as bytes.
    if (bytes.length < 8) return mutateBytes(bytes, random);
    const parts = split(bytes, 8);
    const entries = entriesOf(parts.json);
    if (last !== undefined && entries !== null && oneIn(random, 2)) {
      const [name = '', entry] = Object.entries(entries).at(-1) ?? [];
      // An earlier mutation may have put any value here.
      const offsets: unknown = entry?.data_offsets;
      const begin = Array.isArray(offsets) && Number.isFinite(offsets[0]) ? Number(offsets[0]) : 0;
      const content = last(parts.rest.subarray(begin), random);
      entries[name] = {
        ...entry,
        ...{ shape: [content.length], data_offsets: [begin, begin + content.length] },
      };
      const json = encoder.encode(JSON.stringify(entries));
      return put({ json, rest: joined(parts.rest.subarray(0, begin), content) }, 8);
    }
    if (oneIn(random, 5)) return put({ ...parts, rest: mutateBytes(parts.rest, random) }, 8);
    const json = header(parts.json, random);
    return put({ ...parts, json }, 8, oneIn(random, 8) ? Number(extreme(random)) : json.length);
  };
}

/** Applies one of several mutators, chosen at random. */
export function either(...mutators: readonly Mutator[]): Mutator {
  return (bytes, random) => pick(random, mutators)(bytes, random);
}
