import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Field, MessageWriter, ProtobufError, visitFields } from './protobuf.ts';

/** Reads all fields that a message may have in these tests. */
function read(bytes: Uint8Array) {
  const found: unknown[] = [];
  visitFields(bytes, {
    1: (field: Field) => found.push(field.int()),
    2: (field: Field) => found.push(field.float()),
    3: (field: Field) => found.push(field.text(1000)),
    4: (field: Field) => found.push(read(field.bytes())),
    5: (field: Field) => found.push([...field.ints()]),
  });
  return found;
}

it('reads what it writes, in order', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.float(), fc.string({ unit: 'grapheme' }), (n, x, text) => {
      const within = new MessageWriter().int(1, n).text(3, text);
      const bytes = new MessageWriter().message(4, within).int(1, n).float(2, x).finish();
      expect(read(bytes)).toEqual([[n, text], n, x]);
    }),
  );
});

// The examples of https://protobuf.dev/programming-guides/encoding/.
it('writes and reads the specification’s examples', () => {
  expect([...new MessageWriter().int(1, 150).finish()]).toEqual([0x08, 0x96, 0x01]);
  expect([...new MessageWriter().text(3, 'testing').finish()]).toEqual([
    ...[0x1a, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67],
  ]);
  // −2 as an int64 has ten bytes.
  const minusTwo = [0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
  expect([...new MessageWriter().int(1, -2).finish()]).toEqual(minusTwo);
  expect(read(Uint8Array.from(minusTwo))).toEqual([-2]);
  // A packed list, and the same numbers one by one.
  const packed = [0x2a, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05];
  expect([...new MessageWriter().ints(5, [3, 270, 86942]).finish()]).toEqual(packed);
  expect(read(Uint8Array.from(packed))).toEqual([[3, 270, 86942]]);
  expect(read(Uint8Array.of(0x28, 0x03, 0x28, 0x8e, 0x02))).toEqual([[3], [270]]);
  // Fields without a visitor are skipped, including 64-bit ones.
  expect(read(Uint8Array.of(0x31, 1, 2, 3, 4, 5, 6, 7, 8, 0x38, 1, 0x08, 7))).toEqual([7]);
});

it.each([
  ['cut off within a number', [0x08, 0x96]],
  ['cut off', [0x1a, 0x07, 0x74]],
  ['cut off', [0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
  ['cut off', [0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
  ['more than 64 bits', [0x08, ...new Array(11).fill(0x80)]],
  ['0 is not a valid field number', [0x00, 0x01]],
  ['an unsupported wire type', [0x0b]],
  ['an unexpected wire type', [0x0a, 0x00]],
  ['not UTF-8', [0x1a, 0x01, 0xff]],
  ['a string of 1001 bytes', [0x1a, 0xe9, 0x07, ...new Array(1001).fill(0x61)]],
] as const)('rejects invalid bytes: %s', (what, bytes) => {
  expect(() => read(Uint8Array.from(bytes))).toThrow(what);
  expect(() => read(Uint8Array.from(bytes))).toThrow(ProtobufError);
});

it('throws only ProtobufErrors, for any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      try {
        read(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufError);
      }
    }),
    { numRuns: 2000 },
  );
});
