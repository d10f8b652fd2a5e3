import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectReadOrRefused } from '../testing/changed-bytes.ts';
import { PackedDataError, packData, unpackData } from './packed-data.ts';

describe('packed data', () => {
  it('round-trips exactly, for every number', () => {
    const number = fc.oneof(fc.double(), fc.float(), fc.nat(), fc.constant(-0));
    const numbers = fc.array(number, { maxLength: 40 });
    const key = fc.string().filter((name) => name !== '$' && name !== '__proto__');
    const { data } = fc.letrec((tie) => ({
      data: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.boolean(),
        fc.constant(null),
        number,
        numbers,
        fc.array(tie('data'), { maxLength: 5 }),
        fc.dictionary(key, tie('data'), { maxKeys: 5, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(data, (value) => {
        expect(unpackData(packData(value))).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it('takes four bytes for a float32 and one for a small count', () => {
    const floats = Array.from({ length: 1000 }, (_, i) => Math.fround(Math.log(i + 2)));
    expect(packData(floats).length).toBeLessThan(4050);
    expect(packData(floats.map((_, i) => i % 200)).length).toBeLessThan(1050);
  });

  it.each<[RegExp, unknown]>([
    [/unknown type or position/, { $: ['u7', 0, 1] }],
    [/unknown type or position/, { $: ['u8', -1, 1] }],
    [/cut off within/, { $: ['u8', 0, 1] }],
    [/more than 64 deep/, JSON.parse('['.repeat(100) + ']'.repeat(100))],
  ])('is rejected: %s', (message, form) => {
    const text = new TextEncoder().encode(JSON.stringify(form));
    const bytes = new Uint8Array(4 + text.length);
    new DataView(bytes.buffer).setUint32(0, text.length, true);
    bytes.set(text, 4);
    expect(() => unpackData(bytes)).toThrow(message);
  });

  it('is rejected if lists of numbers overlap, which would let a small file expand without bound', () => {
    const one = { $: ['u8', 0, 4] };
    const text = new TextEncoder().encode(JSON.stringify([one, one]));
    const bytes = new Uint8Array(4 + text.length + 4);
    new DataView(bytes.buffer).setUint32(0, text.length, true);
    bytes.set(text, 4);
    expect(() => unpackData(bytes)).toThrow(/overlap/);
  });

  it('is either read or rejected with a PackedDataError if bytes are changed', () => {
    const bytes = packData({ a: Array.from({ length: 30 }, (_, i) => i / 3), b: [1, { c: 'd' }] });
    expectReadOrRefused(bytes, unpackData, PackedDataError);
  });
});
