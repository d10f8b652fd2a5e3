import { describe, expect, it } from 'vitest';
import { trainBytePairs } from './byte-pair-training.ts';

describe('trainBytePairs', () => {
  it('merges the most frequent pair first and resolves ties in code-point order', () => {
    // The pairs of "low" ×5 and "lower" ×2: "l o" and "o w" 7 times, "w e" and "e r" twice.
    const texts = [...Array(5).fill('low'), ...Array(2).fill('lower')];
    expect(trainBytePairs(texts, 10)).toEqual([
      ['l', 'o'],
      ['lo', 'w'],
      ['e', 'r'],
      ['low', 'er'],
    ]);
    expect(trainBytePairs(texts, 2)).toHaveLength(2);
  });

  it('merges overlapping pairs from left to right', () => {
    expect(trainBytePairs(['aaa', 'aaa'], 10)).toEqual([
      ['a', 'a'],
      ['aa', 'a'],
    ]);
  });

  it('merges a space with the word after it, and the bytes of a character, but no digits', () => {
    expect(trainBytePairs(['é 12', 'é 12', ' a a'], 10)).toEqual([
      ['Ã', '©'],
      ['Ġ', 'a'],
    ]);
  });
});
