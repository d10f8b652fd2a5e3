import { describe, expect, it } from 'vitest';
import { importances } from './importance.ts';
import { Draws } from './random.ts';
import type { Parameter, Values } from './space.ts';

const line = (path: string): Parameter => ({
  path,
  dimension: {
    ...{ kind: 'span', scale: 'linear', low: 0, high: 1, normal: null },
    ...{ quantum: null, whole: false },
  },
});
const parameters: readonly Parameter[] = [
  line('a'),
  line('b'),
  line('idle'),
  { path: 'c', dimension: { kind: 'choice', values: ['x', 'y'], probabilities: [0.5, 0.5] } },
  { path: 'fixed', dimension: { kind: 'choice', values: [1], probabilities: [1] } },
];

function scored(score: (values: Values) => number, n = 200) {
  const draws = new Draws(3, 1);
  return Array.from({ length: n }, () => {
    const values = {
      ...{ a: draws.uniform(), b: draws.uniform(), idle: draws.uniform() },
      ...{ c: draws.uniform() < 0.5 ? 'x' : 'y', fixed: 1 },
    };
    return { values, score: score(values) };
  });
}

const shareOf = (found: ReturnType<typeof importances>, path: string) =>
  found.find((one) => one.path === path)?.share ?? Number.NaN;

describe('importance', () => {
  it('approximates the variance shares of an additive function', () => {
    // Variances: 9/12 and 1/12 for the ranges, 1/4 for the choice.
    const found = importances(
      parameters,
      scored(({ a, b, c }) => 3 * Number(a) - Number(b) + (c === 'x' ? 1 : 0)),
    );
    const whole = 9 / 12 + 1 / 12 + 1 / 4;
    expect(found.map(({ path }) => path).slice(0, 2)).toEqual(['a', 'c']);
    expect(Math.abs(shareOf(found, 'a') - 9 / 12 / whole)).toBeLessThan(0.1);
    expect(Math.abs(shareOf(found, 'c') - 1 / 4 / whole)).toBeLessThan(0.1);
    expect(Math.abs(shareOf(found, 'b') - 1 / 12 / whole)).toBeLessThan(0.06);
    expect(shareOf(found, 'idle')).toBeLessThan(0.02);
    expect(found.some(({ path }) => path === 'fixed')).toBe(false);
  });

  it('attributes an interaction to neither parameter', () => {
    const found = importances(
      parameters,
      scored(({ a, c }) => (Number(a) > 0.5 === (c === 'x') ? 1 : 0)),
    );
    expect(shareOf(found, 'a') + shareOf(found, 'c')).toBeLessThan(0.2);
  });

  it('reports the direction of improvement as the sign of the correlation', () => {
    const found = importances(
      parameters,
      scored(({ a, b }) => Number(a) - 2 * Number(b)),
    );
    const correlation = (path: string) => found.find((one) => one.path === path)?.correlation;
    expect(correlation('a')).toBeGreaterThan(0.3);
    expect(correlation('b')).toBeLessThan(-0.7);
    expect(correlation('c')).toBeNull();
  });

  it('returns nothing for three trials, and shares of 0 for equal results', () => {
    expect(
      importances(
        parameters,
        scored(({ a }) => Number(a), 3),
      ),
    ).toEqual([]);
    const same = importances(
      parameters,
      scored(() => 1),
    );
    expect(same.map(({ share }) => share)).toEqual([0, 0, 0, 0]);
  });
});
