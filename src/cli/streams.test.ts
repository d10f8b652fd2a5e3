import { expect, it } from 'vitest';
import { printable } from './streams.ts';

it('escapes control characters and direction overrides, but keeps line breaks and tabs', () => {
  expect(printable('loss\u001b[31m\u0007')).toBe('loss\\x1b[31m\\x07');
  expect(printable('a\u009b2Jb\rc\u007f')).toBe('a\\x9b2Jb\\x0dc\\x7f');
  expect(printable('a\u202eb\u2066c')).toBe('a\\u202eb\\u2066c');
  expect(printable('two\n\tlines – π ≈ 3')).toBe('two\n\tlines – π ≈ 3');
});
