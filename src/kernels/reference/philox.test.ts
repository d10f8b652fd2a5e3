import { describe, expect, it } from 'vitest';
import { philox4x32, type Words2, type Words4 } from './philox.ts';

/** Known-answer tests from the authors' own implementation (Random123, kat_vectors). */
const known: readonly { counter: Words4; key: Words2; words: Words4 }[] = [
  {
    counter: [0, 0, 0, 0],
    key: [0, 0],
    words: [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
  },
  {
    counter: [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
    key: [0xffffffff, 0xffffffff],
    words: [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
  },
  {
    counter: [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
    key: [0xa4093822, 0x299f31d0],
    words: [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
  },
];

describe('philox4x32', () => {
  it.each(known)('gives the known answer for counter $counter', ({ counter, key, words }) => {
    expect(philox4x32(counter, key)).toEqual(words);
  });
});
