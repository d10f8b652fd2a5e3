import fc from 'fast-check';
import { zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { isZip, readZip, ZipError } from './zip.ts';

const all = () => 2 ** 20;
const read = (zip: Uint8Array) => readZip(zip, all, 2 ** 24);
const bytes = (text: string) => new TextEncoder().encode(text);
const files = { 'a.txt': bytes('the same again and again '.repeat(400)), 'b/c.bin': bytes('c') };
const zip = zipSync(files);

/** Where the first central header, or the end record, begins. */
const find = (signature: number, of = zip) => {
  const view = new DataView(of.buffer);
  return of.findIndex((_, i) => i + 4 <= of.length && view.getUint32(i, true) === signature);
};
const central = find(0x02014b50);
const end = find(0x06054b50);

/** The zip with 2-byte or 4-byte numbers replaced. */
function changed(...changes: readonly (readonly [at: number, size: 2 | 4, value: number])[]) {
  const copy = zip.slice();
  const view = new DataView(copy.buffer);
  for (const [at, size, value] of changes) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
  }
  return copy;
}

it.each([0, 1, 6, 9] as const)('reads the wanted files at compression level %d', (level) => {
  const packed = zipSync(files, { level });
  expect(isZip(packed)).toBe(true);
  expect(read(packed)).toEqual(new Map(Object.entries(files)));
  const only = readZip(packed, (path) => (path === 'b/c.bin' ? 1 : null), 1);
  expect([...only.keys()]).toEqual(['b/c.bin']);
});

it('reads a zip with a trailing comment', () => {
  const commented = Uint8Array.of(...zip, 0x68, 0x69);
  new DataView(commented.buffer).setUint16(end + 20, 2, true);
  expect(read(commented)).toEqual(new Map(Object.entries(files)));
});

const secondCentral = central + 46 + 'a.txt'.length;
const packedBytes = new DataView(zip.buffer).getUint32(central + 20, true);
it.each([
  [
    'a directory of 65,535 files',
    changed([end + 8, 2, 0xffff], [end + 10, 2, 0xffff]),
    'the limit is 1000',
  ],
  ['a directory outside the zip', changed([end + 16, 4, 0xfffffff0]), 'lies outside'],
  ['a truncated directory', changed([end + 12, 4, 50]), 'cannot be read'],
  [
    'a directory with more entries than files',
    changed([end + 8, 2, 1], [end + 10, 2, 1]),
    'extra data',
  ],
  ['two files at one offset', changed([secondCentral + 42, 4, 0]), 'is not where'],
  ['a file outside the zip', changed([secondCentral + 42, 4, 0x7fffffff]), 'is not where'],
  ['data that overlap the next file', changed([central + 20, 4, packedBytes + 1]), 'overlaps'],
  ['data that overlap the directory', changed([secondCentral + 20, 4, 4000]), 'cut off within'],
  ['a size of 4 GB', changed([central + 24, 4, 0xfffffff0]), 'the limit is 1048576'],
  ['a size that is too small', changed([central + 24, 4, 9999]), 'holds more than'],
  [
    'a size that is too large',
    changed([central + 24, 4, 10_001]),
    'does not match its directory entry',
  ],
  ['a wrong checksum', changed([central + 16, 4, 1]), 'does not match its directory entry'],
  ['an encrypted file', changed([central + 8, 2, 1]), 'encrypted'],
  ['an unsupported compression method', changed([central + 10, 2, 12]), 'compression method'],
  ['one part of a split zip', changed([end + 4, 2, 1]), 'only one part'],
  ['damaged data', changed([30 + 'a.txt'.length, 4, 0xffffffff]), 'cannot be unpacked'],
  ['a truncated end record', zip.subarray(0, -1), 'is cut off'],
  ['a duplicate name', zipTwice(), 'has two files named "a.txt"'],
  ['a path out of the folder', zipSync({ '../a.txt': bytes('a') }), 'unsafe'],
  ['an absolute path', zipSync({ '/a.txt': bytes('a') }), 'unsafe'],
  ['a backslash', zipSync({ 'b\\a.txt': bytes('a') }), 'unsafe'],
  ['a control character', zipSync({ 'a\u0000.txt': bytes('a') }), 'unsafe'],
  ['a long name', zipSync({ ['a'.repeat(600)]: bytes('a') }), 'name of 600 bytes'],
  [
    'a megabyte of zeros in a kilobyte',
    zipSync({ a: new Uint8Array(2 ** 20), b: new Uint8Array(2 ** 20) }, { level: 9 }),
    'too much for a zip of its size',
  ],
] as const)('rejects %s', (_, hostile, reason) => {
  expect(() => read(hostile)).toThrow(ZipError);
  expect(() => read(hostile)).toThrow(reason);
});

/** Two files with the same name. The original names have the same length, so nothing else changes. */
function zipTwice(): Uint8Array {
  const two = zipSync({ 'a.txt': bytes('a'), 'b.txt': bytes('b') }, { level: 0 });
  return two.map((byte, i) =>
    byte === 0x62 && String.fromCharCode(...two.subarray(i, i + 5)) === 'b.txt' ? 0x61 : byte,
  );
}

it('never inflates more than a zip declares, for any data', () => {
  // 4 MB of zeros that claim to be 10 bytes: reading stops at the first excess piece.
  const bomb = zipSync({ a: new Uint8Array(2 ** 22) }, { level: 9 });
  new DataView(bomb.buffer).setUint32(find(0x02014b50, bomb) + 24, 10, true);
  expect(() => read(bomb)).toThrow('holds more than its directory says');
});

it('throws only ZipErrors for damaged zips, and returns no content of a wrong size', () => {
  const change = fc.tuple(fc.nat(zip.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
      const copy = zip.slice();
      for (const [at, value] of changes) copy[at] = value;
      try {
        // Anything that still passes the checks has the correct content.
        for (const content of read(copy).values()) {
          expect([10_000, 1]).toContain(content.length);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(ZipError);
      }
    }),
    { numRuns: 2000 },
  );
});
