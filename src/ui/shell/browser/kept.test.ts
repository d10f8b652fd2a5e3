import { readFileSync } from 'node:fs';
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

it('stores the color scheme under the key that index.html reads', async () => {
  vi.resetModules();
  const { keyOf } = await import('./kept.ts');
  const { keptScheme } = await import('../comfort/scheme.ts');
  const setItem = vi.fn();
  const localStorage = { getItem: () => null, setItem };
  vi.stubGlobal('localStorage', localStorage);
  vi.stubGlobal('window', { localStorage });
  vi.stubGlobal('location', new URL('http://localhost/lab/'));
  keptScheme().set('dark');
  const [, name] = /`palestra \$\{.*\} (.+)`/.exec(readFileSync('index.html', 'utf8')) ?? [];
  expect(setItem).toHaveBeenCalledExactlyOnceWith(keyOf(name ?? ''), 'dark');
});
