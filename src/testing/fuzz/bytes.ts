/** Byte mutations that are independent of the format. */
import type { RandomStream } from '../../training/random.ts';

/** Maximum size of an input: low, so that an input that costs much time or memory stands out. */
export const MOST_BYTES = 2 ** 18;

/** Mutates inputs of one kind. */
export type Mutator = (bytes: Uint8Array, random: RandomStream) => Uint8Array;

/** An item chosen at random. */
export function pick<T>(random: RandomStream, items: readonly T[]): T {
  if (items.length === 0) throw new RangeError('there is nothing to pick');
  return items[random.below(items.length)] as T;
}

/** True with probability 1/n. */
export function oneIn(random: RandomStream, n: number): boolean {
  return random.below(n) === 0;
}

/** A number from 1 to `most`; smaller numbers are more likely. */
export function few(random: RandomStream, most: number): number {
  let n = 1;
  while (n < most && oneIn(random, 2)) n++;
  return n;
}

/** Strings with a special meaning for some reader, usually inserted where they do not belong. */
export const words: readonly string[] = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '$', '__metadata__'],
  ...['NaN', 'Infinity', '-Infinity', '-0', '1e999', '-1e-999', '0x10', '1_0', '9007199254740993'],
  ...['null', 'true', 'false', 'undefined', '[]', '{}', '[object Object]', '', ' ', '\0', '\n'],
  ...['../', '..', '/', '\\', '%00', '%', '=', '&', '+', '#', ';', ',', '"', "'", '`', ':'],
  ...['\ud800', '\udfff', '\ufeff', '\u202e', '\u0130', '\ufdfa', 'é', '中', '🙂', 'a\u0301'],
  ...['F32', 'F16', 'BF16', 'U8', 'u8', 'f64', 'BPE', 'WordLevel', 'Sequence', 'Replace'],
  ...['<pad>', '<unk>', '<obs>', '<act>', '<end>', '<0x41>', '▁', 'Ġ'],
  ...['PK\u0003\u0004', 'PK\u0001\u0002', 'PK\u0005\u0006', '(a+)+$', '\\u0000'],
];

const encoder = new TextEncoder();
const tokens: readonly Uint8Array[] = [
  ...words.map((word) => encoder.encode(word)),
  // Invalid UTF-8 (overlong, a surrogate, above U+10FFFF) and a UTF-16 byte-order mark.
  ...[
    [0xc0, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xff, 0xfe],
  ].map((bytes) => Uint8Array.from(bytes)),
  // Protocol Buffers: an unterminated varint, and a field with an excessive length.
  new Uint8Array(10).fill(0xff),
  Uint8Array.from([0x3a, 0xff, 0xff, 0xff, 0xff, 0x07]),
];

/** Extreme values for counts, lengths and offsets. */
const extremes: readonly bigint[] = [
  ...[0n, 1n, 2n, 0x7fn, 0x80n, 0xffn, 0x7fffn, 0x8000n, 0xffffn, 0x10000n, 0x7fffffffn],
  ...[0x80000000n, 0xffffffffn, 0x100000000n, (1n << 53n) - 1n, 1n << 53n, (1n << 63n) - 1n],
  ...[1n << 63n, (1n << 64n) - 1n],
];

/** Concatenates parts, truncated to the maximum size. */
export const joined = (...parts: readonly Uint8Array[]): Uint8Array => joinedAll(parts);

/** Like `joined`, but takes an array, because the number of arguments of a call is limited. */
export function joinedAll(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(
    Math.min(
      MOST_BYTES,
      parts.reduce((sum, part) => sum + part.length, 0),
    ),
  );
  let at = 0;
  for (const part of parts) {
    all.set(part.subarray(0, all.length - at), at);
    at = Math.min(all.length, at + part.length);
  }
  return all;
}

/** A random range of bytes; in half of all cases, of at most 16 bytes. */
function range(bytes: Uint8Array, random: RandomStream): readonly [number, number] {
  const from = random.below(bytes.length + 1);
  const most = bytes.length - from;
  return [from, from + random.below((oneIn(random, 2) ? Math.min(16, most) : most) + 1)];
}

const changes: readonly Mutator[] = [
  // Flips a bit; listed three times to make it more likely.
  ...[0, 1, 2].map(
    (): Mutator => (bytes, random) => {
      const changed = bytes.slice();
      const at = random.below(Math.max(1, bytes.length));
      changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
      return changed;
    },
  ),
  (bytes, random) => bytes.slice(0, random.below(bytes.length + 1)),
  (bytes, random) => {
    const [from, to] = range(bytes, random);
    return joined(bytes.subarray(0, from), bytes.subarray(to));
  },
  // Copies a range, inserting it or overwriting other bytes.
  (bytes, random) => {
    const [from, to] = range(bytes, random);
    const at = oneIn(random, 2) ? to : random.below(bytes.length + 1);
    const over = oneIn(random, 2) ? to - from : 0;
    return joined(bytes.subarray(0, at), bytes.subarray(from, to), bytes.subarray(at + over));
  },
  // Repeats a range.
  (bytes, random) => {
    const [from, to] = range(bytes, random);
    const piece = bytes.subarray(from, to);
    const most = oneIn(random, 8) ? MOST_BYTES : 1024;
    const times = random.below(Math.floor(most / Math.max(1, piece.length)) + 1);
    const repeated = new Uint8Array(times * piece.length);
    for (let i = 0; i < times; i++) repeated.set(piece, i * piece.length);
    return joined(bytes.subarray(0, from), repeated, bytes.subarray(to));
  },
  // Sets a number of one to eight bytes to an extreme value, in either byte order.
  ...[0, 1].map(
    (): Mutator => (bytes, random) => {
      const changed = bytes.slice();
      const width = pick(random, [1, 2, 4, 8]);
      if (bytes.length < width) return changed;
      // Lengths are usually at the beginning or the end.
      const at = pick(random, [
        random.below(bytes.length - width + 1),
        Math.min(bytes.length - width, 4 * random.below(4)),
        Math.max(0, bytes.length - width - random.below(24)),
      ]);
      const number = pick(random, extremes);
      const turned = oneIn(random, 2);
      for (let i = 0; i < width; i++) {
        changed[at + (turned ? width - 1 - i : i)] = Number((number >> BigInt(8 * i)) & 0xffn);
      }
      return changed;
    },
  ),
  (bytes, random) => {
    const token = pick(random, tokens);
    const at = random.below(bytes.length + 1);
    const over = oneIn(random, 2) ? token.length : 0;
    return joined(bytes.subarray(0, at), token, bytes.subarray(at + over));
  },
];

/** Bytes with one or a few mutations. */
export const mutateBytes: Mutator = (bytes, random) => {
  let changed = bytes;
  for (let i = few(random, 6); i > 0; i--) changed = pick(random, changes)(changed, random);
  return changed;
};

/** An extreme unsigned integer of up to 64 bits. */
export function extreme(random: RandomStream): bigint {
  return pick(random, extremes);
}
