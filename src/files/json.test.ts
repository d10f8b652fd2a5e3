import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonError, parseJson, readJson } from './json.ts';

const limits = { bytes: 1000, objects: 3, values: 12, depth: 3 };
const plenty = { bytes: 1e6, objects: 1e5, values: 1e5, depth: 100 };

it('reads any JSON as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJson(text, plenty)).toEqual(JSON.parse(text));
      expect(readJson(new TextEncoder().encode(text), plenty)).toEqual(JSON.parse(text));
    }),
  );
});

it('throws only JsonErrors, for any text', () => {
  const texts = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', ',', ':', '1') });
  fc.assert(
    fc.property(texts, (text) => {
      try {
        parseJson(text, limits);
      } catch (error) {
        expect(error).toBeInstanceOf(JsonError);
      }
    }),
    { numRuns: 2000 },
  );
});

it('ignores brackets inside strings', () => {
  const text = JSON.stringify(['[[[[{{{{,,,,,,,,,,,,,,,', '\\"[[[[[', '\\\\', '"[[[[[[']);
  expect(parseJson(text, limits)).toEqual(JSON.parse(text));
});

it.each([
  ['[[[[]]]]', 'nests lists and objects more than 3 deep'],
  ['[{},{},{},{}]', 'has more than 3 objects'],
  [`[${'0,'.repeat(20)}0]`, 'has more than 12 values'],
  [`["${'a'.repeat(1000)}"]`, 'has 1004 bytes, and at most 1000 are read'],
  ['[1,]', 'is not JSON: '],
  ['', 'is not JSON: '],
  ['"', 'is not JSON: '],
])('rejects %s', (text, reason) => {
  expect(() => parseJson(text, limits)).toThrow(reason);
});

it('rejects bytes that are not UTF-8', () => {
  expect(() => readJson(Uint8Array.of(0x22, 0xff, 0x22), limits)).toThrow('not a text in UTF-8');
});
