import { describe, expect, it } from 'vitest';
import { processorMs } from '../../testing/processor-time.ts';
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

  it('rejects 100,000 digits followed by a letter without backtracking', () => {
    const text = `${'1'.repeat(100_000)}x`;
    // In milliseconds; quadratic time takes more than ten seconds.
    expect(processorMs(() => expect(numberOf(text)).toBeUndefined())).toBeLessThan(1000);
  });
});
