import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { klEstimators } from '../algorithms/kl-penalty.ts';
import { surrogates } from '../algorithms/surrogates.ts';
import { nonFiniteCauses, numbered, placesOf, statColumns } from './tables.ts';

describe('numbered', () => {
  it('prepends a constant to a shader for each name, in their order', () => {
    const shader = (text: string) => ({ text, signatures: {} });
    const lists = { SURROGATE: surrogates, KL: klEstimators };
    const { text } = numbered(shader('fn f() {}'), lists);
    for (const [place, name] of surrogates.entries()) {
      expect(text).toContain(`const SURROGATE_${name.toUpperCase()} = ${place}u;`);
    }
    expect(text).toContain(`const SURROGATE_COUNT = ${surrogates.length}u;`);
    expect(text.endsWith('\nfn f() {}')).toBe(true);
    // One line, so that an error's line number is one too many at most.
    expect(text.split('\n')).toHaveLength(2);
    const { text: causes } = numbered(shader(''), { CAUSE: nonFiniteCauses, STAT: statColumns });
    expect(causes).toContain('const CAUSE_LOG_PROBABILITIES = 3u;');
    expect(causes).not.toContain('null');
    expect(causes).toContain(`const STAT_NON_FINITE = ${placesOf(statColumns).nonFinite}u;`);
  });

  it('declares each constant in one place', () => {
    const folder = new URL('../../shaders/', import.meta.url);
    for (const file of readdirSync(folder)) {
      const text = readFileSync(new URL(file, folder), 'utf8');
      expect(text, file).not.toMatch(/const (SURROGATE|KL|READING|INPUT|SCORE|BOUND|STAT|STATE)_/);
    }
  });
});
