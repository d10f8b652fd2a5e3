import { expect, it } from 'vitest';
import { printable } from './streams.ts';

it('escapes control characters and direction overrides, but keeps line breaks and tabs', () => {
  expect(printable('loss\u001b[31m\u0007')).toBe('loss\\u001b[31m\\u0007');
  expect(printable('a\u009b2Jb\rc\u007f')).toBe('a\\u009b2Jb\\u000dc\\u007f');
  expect(printable('a\u202eb\u2066c')).toBe('a\\u202eb\\u2066c');
  expect(printable('two\n\tlines – π ≈ 3')).toBe('two\n\tlines – π ≈ 3');
});

it('keeps a line of JSON valid', () => {
  const text = '\u001b\u007f\u0085\u009f\u2028\u202e';
  expect(JSON.parse(printable(JSON.stringify({ text })))).toEqual({ text });
});
