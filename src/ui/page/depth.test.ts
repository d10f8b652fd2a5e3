import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chooseDepth, takeDepth, useDepth, withDepth } from './depth.ts';

describe('how much of the lab is shown', () => {
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

  it('is least for a newcomer, and all for a link to a run', () => {
    expect(opened('?seed=3')).toBe('everything');
    expect(opened('?device=processor')).toBe('watch');
    // Who has begun with little is not flooded by another run.
    expect(opened('?seed=3')).toBe('watch');
  });

  it('is what the address names, and else what was chosen last', () => {
    chooseDepth('everything');
    expect(opened('')).toBe('everything');
    expect(opened('?depth=understand')).toBe('understand');
    expect(withDepth('?seed=3')).toBe('?seed=3&depth=understand');
    expect(opened('?depth=abyss')).toBe('everything');
    expect(withDepth('?seed=3')).toBe('?seed=3');
  });

  it('leaves the address once it is chosen', () => {
    const replaceState = vi.fn();
    vi.stubGlobal('history', { replaceState });
    takeDepth('?depth=understand&seed=3');
    chooseDepth('watch');
    expect(String(replaceState.mock.calls[0]?.[2])).toBe('http://lab.example/?seed=3');
    expect(withDepth('')).toBe('');
  });
});
