import { describe, expect, it } from 'vitest';
import { numberOf } from './loose-json.ts';

describe('numberOf', () => {
  it.each([
    ['1', 1],
    ['-1.', -1],
    ['+.5e-3', 0.0005],
    ['1.25E2', 125],
    [' 7 ', 7],
  ])('parses %j', (text, number) => {
    expect(numberOf(text)).toBe(number);
  });

  it.each(['', '.', 'e5', '1e', '0x10', '1.2.3', '1 2'])('rejects %j', (text) => {
    expect(numberOf(text)).toBeUndefined();
  });

  it('rejects a million digits followed by a letter without backtracking', () => {
    // Quadratic time would exceed the test timeout on any machine.
    expect(numberOf(`${'1'.repeat(1_000_000)}x`)).toBeUndefined();
  });
});
