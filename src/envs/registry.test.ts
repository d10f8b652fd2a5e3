import { describe, expect, it, vi } from 'vitest';
import {
  createEnvironment,
  environmentFamilies,
  offeredFamilies,
  UnknownEnvironmentError,
} from './registry.ts';
import './testing/load-all.ts';
import type { EnvironmentFamily } from './types.ts';

// Loads the conformance tests only to record which families they test.
const tested = vi.hoisted(() => new Set<string>());
vi.mock('./testing/conformance.ts', async (original) => ({
  ...(await original<object>()),
  testConformance: ({ id }: EnvironmentFamily) => {
    tested.add(id);
  },
}));
const conformanceTests = import.meta.glob(['./*/conformance.test.ts', '!./testing/*']);
await Promise.all(Object.values(conformanceTests).map((load) => load()));

describe('family', () => {
  it('has a card before its code is loaded, and loads on request', async () => {
    vi.resetModules();
    const fresh = await import('./registry.ts');
    expect(fresh.titleOf('wordle/wordle-v1')).toBe('Wordle');
    expect(fresh.familyOf('maze/generated-v2')?.options).toHaveProperty('size');
    expect(fresh.areLoaded(['wordle/wordle-v1'])).toBe(false);
    expect(() => fresh.createEnvironment('wordle/wordle-v1')).toThrow(/await loadEnvironments/);
    await fresh.loadEnvironments(['wordle/wordle-v1', 'no/such-v1']);
    expect(fresh.createEnvironment('wordle/wordle-v1').id).toBe('wordle/wordle-v1');
    expect(fresh.areLoaded(['wordle/wordle-v1', 'maze/double-t-v1'])).toBe(false);
    expect(fresh.namedEnvironments({ 'env.mixture': '[{"id":"wordle/wordle-v1"}]' })).toEqual([
      'wordle/wordle-v1',
    ]);
  });

  it('has the same card before and after loading', async () => {
    for (const { load, ...card } of environmentFamilies) {
      const { create: _create, ...loaded } = await load();
      expect(JSON.stringify(loaded)).toBe(JSON.stringify(card));
    }
  });
});

describe('createEnvironment', () => {
  it('creates every registered environment', () => {
    for (const { id } of environmentFamilies) expect(createEnvironment(id).id).toBe(id);
  });

  it('lists the known environments if the id is unknown', () => {
    expect(() => createEnvironment('maze/triple-t')).toThrow(UnknownEnvironmentError);
    for (const { id } of environmentFamilies) {
      expect(() => createEnvironment('maze/triple-t')).toThrow(id);
    }
  });

  it('rejects unknown options and lists the known ones', () => {
    expect(() => createEnvironment('maze/double-t-v1', { size: 7 })).toThrow(
      /^maze\/double-t-v1 has no option "size"\. It has no options\.$/,
    );
    expect(() => createEnvironment('maze/generated-v2', { width: 7 })).toThrow(
      /^maze\/generated-v2 has no option "width"\. Its options: size, loops\.$/,
    );
  });

  it.each([3, 17, 6, 7.5, Number.NaN])('rejects a size of %s', (size) => {
    expect(() => createEnvironment('maze/generated-v2', { size })).toThrow(
      expect.objectContaining({
        name: 'EnvironmentOptionError',
        option: 'size',
        message: `maze/generated-v2: size must be from 5 to 15 in steps of 2; it is ${size}.`,
      }),
    );
  });
});

describe('every registered environment', () => {
  it('has a unique id', () => {
    const ids = environmentFamilies.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is offered or has an offered replacement', () => {
    const offered = offeredFamilies.map(({ id }) => id);
    expect(offered).toContain('maze/generated-v2');
    expect(offered).not.toContain('maze/generated-v1');
    for (const { id, supersededBy } of environmentFamilies) {
      expect(offered.includes(supersededBy ?? id)).toBe(true);
    }
  });

  it.each(environmentFamilies)('has a conformance test in its folder: $id', ({ id }) => {
    expect([...tested], `add ${id} to its folder's conformance.test.ts`).toContain(id);
  });
});
