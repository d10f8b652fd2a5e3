import { expect, it, vi } from 'vitest';

it('clears preferences but not drafts', async () => {
  // Without the resets that other modules have registered.
  vi.resetModules();
  const { forgetKept, readKept, writeKept } = await import('./kept.ts');
  // A plain object, whose keys are the stored ones.
  const stored = Object.create({
    getItem: (key: string) => stored[key] ?? null,
    setItem: (key: string, value: string) => {
      stored[key] = value;
    },
    removeItem: (key: string) => {
      delete stored[key];
    },
  });
  vi.stubGlobal('localStorage', stored);
  vi.stubGlobal('location', new URL('http://localhost/lab/'));
  writeKept('language', 'de');
  writeKept('code-draft', 'text');
  forgetKept();
  expect(readKept('language')).toBeNull();
  expect(readKept('code-draft')).toBe('text');
});
