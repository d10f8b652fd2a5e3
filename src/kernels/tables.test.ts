import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { klEstimators } from '../algorithms/kl-penalty.ts';
import { surrogates } from '../algorithms/surrogates.ts';
import { nonFiniteCauses, numbered, placesOf, statColumns } from './tables.ts';

describe('numbered', () => {
  it('prepends a constant for each name to a shader, in order', () => {
    const shader = (text: string) => ({ text, signatures: {} });
    const lists = { SURROGATE: surrogates, KL: klEstimators };
    const { text } = numbered(shader('fn f() {}'), lists);
    for (const [place, name] of surrogates.entries()) {
      expect(text).toContain(`const SURROGATE_${name.toUpperCase()} = ${place}u;`);
    }
    expect(text).toContain(`const SURROGATE_COUNT = ${surrogates.length}u;`);
    expect(text.endsWith('\nfn f() {}')).toBe(true);
    // One line, so that line numbers in errors are off by at most one.
    expect(text.split('\n')).toHaveLength(2);
    const { text: causes } = numbered(shader(''), { CAUSE: nonFiniteCauses, STAT: statColumns });
    expect(causes).toContain('const CAUSE_LOG_PROBABILITIES = 3u;');
    expect(causes).not.toContain('null');
    expect(causes).toContain(`const STAT_NON_FINITE = ${placesOf(statColumns).nonFinite}u;`);
  });

  it('defines constants that no shader declares itself', () => {
    const folder = new URL('../../shaders/', import.meta.url);
    for (const file of readdirSync(folder)) {
      const text = readFileSync(new URL(file, folder), 'utf8');
      expect(text, file).not.toMatch(/const (SURROGATE|KL|READING|INPUT|SCORE|BOUND|STAT|STATE)_/);
    }
  });
});
