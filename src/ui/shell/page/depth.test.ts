import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chooseDepth, takeDepth, useDepth, withDepth } from './depth.ts';

describe('depth of the lab', () => {
  const kept = new Map<string, string>();
  beforeEach(() => {
    kept.clear();
    vi.stubGlobal('location', new URL('http://lab.example/?depth=understand&seed=3'));
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  const opened = (search: string) => {
    takeDepth(search);
    return useDepth.getState().depth;
  };

  it('is minimal on a first visit, and maximal for a link to a run', () => {
    expect(opened('?seed=3')).toBe('everything');
    expect(opened('?device=processor')).toBe('watch');
    // Another run keeps the minimal depth.
    expect(opened('?seed=3')).toBe('watch');
  });

  it("uses the address's depth, else the last choice", () => {
    chooseDepth('everything');
    expect(opened('')).toBe('everything');
    expect(opened('?depth=understand')).toBe('understand');
    expect(withDepth('?seed=3')).toBe('?seed=3&depth=understand');
    expect(opened('?depth=abyss')).toBe('everything');
    expect(withDepth('?seed=3')).toBe('?seed=3');
  });

  it('is removed from the address when the user chooses', () => {
    const replaceState = vi.fn();
    vi.stubGlobal('history', { replaceState });
    takeDepth('?depth=understand&seed=3');
    chooseDepth('watch');
    expect(String(replaceState.mock.calls[0]?.[2])).toBe('http://lab.example/?seed=3');
    expect(withDepth('')).toBe('');
  });
});
