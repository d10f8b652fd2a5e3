import { expect, it } from 'vitest';
import { z } from 'zod';
import { firstFault, list, pathText } from './schema.ts';

const schema = z.strictObject({ rows: list(z.strictObject({ n: z.number() }), { max: 1e6 }) });

it('accepts a valid list', () => {
  expect(schema.parse({ rows: [{ n: 1 }, { n: 2 }] })).toEqual({ rows: [{ n: 1 }, { n: 2 }] });
});

it('stops at the first error and reports its path', () => {
  const parsed = schema.safeParse({ rows: [{ n: 1 }, ...new Array(1e5).fill(0)] });
  expect(parsed.success).toBe(false);
  if (parsed.success) return;
  expect(parsed.error.issues).toHaveLength(1);
  const { path, message } = firstFault(parsed.error);
  expect(pathText(path)).toBe('rows.1');
  expect(message).toContain('expected object');
});

it.each([
  [undefined, 'must be a list'],
  [{}, 'must be a list'],
  [[], 'must hold at least 1'],
  [[1, 2, 3], 'has 3 items, and at most 2 are read'],
])('rejects %j', (value, message) => {
  const numbers = z.object({ list: list(z.number(), { min: 1, max: 2 }) });
  const parsed = numbers.safeParse({ list: value });
  expect(parsed.error === undefined ? '' : firstFault(parsed.error).message).toBe(message);
});

it('truncates long messages', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`key${i}`, 0]));
  const parsed = z.strictObject({}).safeParse(many);
  expect(parsed.error === undefined ? '' : firstFault(parsed.error).message).toHaveLength(201);
});
