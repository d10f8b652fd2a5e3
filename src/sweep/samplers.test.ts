import { describe, expect, it } from 'vitest';
import { normalBetween, normalCdf } from './normal.ts';
import { bayesTrial, gridSize, gridTrial, randomTrial } from './samplers.ts';
import { type Parameter, type Span, spanPlace, spanValue, type Values } from './space.ts';
import {
  choiceProbabilities,
  compareObservations,
  goodCount,
  type Observation,
  parzen,
  parzenLogDensity,
} from './tpe.ts';

const span = (low: number, high: number, more: Partial<Span> = {}): Span => ({
  ...{ kind: 'span', scale: 'linear', low, high, normal: null, quantum: null, whole: false },
  ...more,
});
const choice = (...values: readonly string[]) =>
  ({ kind: 'choice', values, probabilities: values.map(() => 1 / values.length) }) as const;

describe('grid search', () => {
  it('enumerates all combinations, changing the last parameter fastest', () => {
    const parameters: readonly Parameter[] = [
      { path: 'a', dimension: choice('x', 'y') },
      { path: 'b', dimension: span(1, 3, { whole: true }) },
    ];
    expect(gridSize(parameters)).toBe(6);
    const all = [1, 2, 3, 4, 5, 6].map((number) => gridTrial(parameters, number));
    expect(all.map(({ a, b }) => `${a}${b}`)).toEqual(['x1', 'x2', 'x3', 'y1', 'y2', 'y3']);
  });

  it('steps through a range by its quantum', () => {
    const parameters = [{ path: 'a', dimension: span(0, 0.3, { quantum: 0.1 }) }];
    expect([1, 2, 3, 4].map((number) => gridTrial(parameters, number).a)).toEqual([
      0, 0.1, 0.2, 0.3,
    ]);
  });
});

describe('random search', () => {
  const numbers = (dimension: Parameter['dimension'], n = 4000) =>
    Array.from({ length: n }, (_, at) => randomTrial([{ path: 'x', dimension }], at + 1).x);

  it('draws log-scale values uniformly in their logarithm', () => {
    const drawn = numbers(span(Math.log(1e-4), 0, { scale: 'log' })).map(Number);
    for (const bound of [1e-3, 1e-2, 1e-1]) {
      const share = drawn.filter((value) => value < bound).length / drawn.length;
      expect(share).toBeCloseTo((Math.log10(bound) + 4) / 4, 1);
    }
  });

  it('draws integers with equal probability, including both bounds', () => {
    const drawn = numbers(span(2, 5, { whole: true }));
    for (const value of [2, 3, 4, 5]) {
      expect(drawn.filter((other) => other === value).length / drawn.length).toBeCloseTo(0.25, 1);
    }
  });

  it('draws from a normal distribution, and from a choice by its probabilities', () => {
    const drawn = numbers(span(-100, 100, { normal: { mu: 5, sigma: 2 } })).map(Number);
    const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
    const square = drawn.reduce((sum, value) => sum + (value - mean) ** 2, 0) / drawn.length;
    expect(mean).toBeCloseTo(5, 0);
    expect(Math.sqrt(square)).toBeCloseTo(2, 0);
    const chosen = numbers({ kind: 'choice', values: ['a', 'b'], probabilities: [0.9, 0.1] });
    expect(chosen.filter((value) => value === 'a').length / chosen.length).toBeCloseTo(0.9, 1);
  });

  it('draws each trial deterministically from its number', () => {
    const parameters = [{ path: 'x', dimension: span(0, 1) }];
    expect(randomTrial(parameters, 7)).toEqual(randomTrial(parameters, 7));
    expect(randomTrial(parameters, 7)).not.toEqual(randomTrial(parameters, 8));
  });
});

describe('the normal distribution', () => {
  it('matches tabulated values', () => {
    // Abramowitz and Stegun (1964), table 26.1.
    expect(normalCdf(0)).toBe(0.5);
    expect(normalCdf(1)).toBeCloseTo(0.841344746068543, 13);
    expect(normalCdf(-2.5)).toBeCloseTo(0.00620966532577613, 14);
    expect(normalCdf(-6) / 9.86587645037698e-10).toBeCloseTo(1, 10);
    expect(normalBetween(5, Number.POSITIVE_INFINITY) / 2.86651571879194e-7).toBeCloseTo(1, 10);
  });
});

describe('TPE', () => {
  it('proposes the only value of a parameter whose bounds are equal', () => {
    const parameters = [{ path: 'x', dimension: span(0.5, 0.5) }];
    const observations = Array.from(
      { length: 12 },
      (_, at): Observation => ({
        ...{ number: at + 1, values: { x: 0.5 }, score: at },
        ...{ standing: 'complete', rungs: 0 },
      }),
    );
    expect(bayesTrial(parameters, 13, observations)).toEqual({ x: 0.5 });
  });

  it('counts the best tenth of the trials as good, at most 25', () => {
    expect([1, 10, 11, 100, 300].map(goodCount)).toEqual([1, 1, 2, 10, 25]);
  });

  it('sets kernel widths to the distance to the farther neighbor, and adds a prior over the range', () => {
    const { kernels } = parzen(span(0, 10), [1, 4]);
    // The centers are 1, 4 and the prior's 5: the only neighbor of 1 is at distance 3, those of 4 at 3 and 1.
    // The minimum width is 10 / min(100, 2 + 2).
    expect(kernels).toMatchObject([
      { weight: 1 / 3, mu: 1, sigma: 3 },
      { weight: 1 / 3, mu: 4, sigma: 3 },
      { weight: 1 / 3, mu: 5, sigma: 10 },
    ]);
  });

  it('makes no kernel narrower than the minimum share of the range', () => {
    const { kernels } = parzen(span(0, 10), [5, 5, 5]);
    expect(kernels.map(({ sigma }) => sigma)).toEqual([2, 2, 2, 10]);
  });

  it('matches a hand-computed density', () => {
    // The prior alone: a normal around 5 with the width of the range as σ, truncated at 0 and 10.
    const prior = parzen(span(0, 10), []);
    const whole = 0.682689492137086 - (0.682689492137086 - 0.382924922548026);
    expect(Math.exp(parzenLogDensity(prior, 5))).toBeCloseTo(0.0398942280401433 / whole, 12);
  });

  it('has a density that integrates to 1, and sums to 1 over discrete steps', () => {
    const dense = parzen(span(-1, 1), [-0.9, 0.2, 0.25]);
    const n = 4000;
    const sum = Array.from({ length: n }, (_, at) =>
      Math.exp(parzenLogDensity(dense, -1 + (2 * (at + 0.5)) / n)),
    ).reduce((total, density) => total + density * (2 / n), 0);
    expect(sum).toBeCloseTo(1, 6);
    const steps = parzen(span(1, 6, { whole: true }), [2, 2, 5]);
    const all = [1, 2, 3, 4, 5, 6].map((place) => Math.exp(parzenLogDensity(steps, place)));
    expect(all.reduce((total, probability) => total + probability, 0)).toBeCloseTo(1, 12);
  });

  it('smooths the probabilities of choices with the prior', () => {
    // Three kernels with weight 1/3: two with odds (1 + 1/3) : 1/3, and the uniform prior.
    const [a = 0, b = 0] = choiceProbabilities(choice('a', 'b'), ['a', 'a']);
    expect(a).toBeCloseTo((2 / 3) * (4 / 5) + 1 / 6, 12);
    expect(a + b).toBeCloseTo(1, 12);
  });

  it('orders trials: finished by score, then stopped by rung, then all others', () => {
    const of = (number: number, more: Partial<Observation>): Observation => ({
      ...{ number, values: {}, score: null, standing: 'complete', rungs: 0 },
      ...more,
    });
    const all = [
      of(1, { standing: 'pending' }),
      of(2, { standing: 'stopped', rungs: 1, score: 9 }),
      of(3, { score: 1 }),
      of(4, { standing: 'failed' }),
      of(5, { standing: 'stopped', rungs: 2, score: 0 }),
      of(6, { score: 2 }),
    ];
    expect(all.toSorted(compareObservations).map(({ number }) => number)).toEqual([
      6, 3, 5, 2, 4, 1,
    ]);
  });

  /** The smallest loss that 60 trials find. @param bayes whether to use TPE instead of random search */
  function search(
    parameters: readonly Parameter[],
    loss: (values: Values) => number,
    seed: number,
    bayes: boolean,
  ): number {
    const seen: Observation[] = [];
    for (let number = 1; number <= 60; number++) {
      const values = bayes
        ? bayesTrial(parameters, number, seen, seed)
        : randomTrial(parameters, number, seed);
      seen.push({ number, values, score: -loss(values), standing: 'complete', rungs: 0 });
    }
    return Math.min(...seen.map(({ score }) => -(score ?? 0)));
  }

  it.each([
    {
      surface: 'the Branin function (minimum 0.397887)',
      least: 0.397887,
      parameters: [
        { path: 'x', dimension: span(-5, 10) },
        { path: 'y', dimension: span(0, 15) },
      ],
      loss: ({ x, y }: Values) => {
        const [a, b] = [Number(x), Number(y)];
        const slope = b - (5.1 * a ** 2) / (4 * Math.PI ** 2) + (5 * a) / Math.PI - 6;
        return slope ** 2 + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(a) + 10;
      },
    },
    {
      surface: 'a bowl with logarithmic, integer and categorical parameters',
      least: 0,
      parameters: [
        { path: 'x', dimension: span(Math.log(1e-5), 0, { scale: 'log' }) },
        { path: 'n', dimension: span(1, 40, { whole: true }) },
        { path: 'c', dimension: choice('a', 'b', 'c', 'd') },
      ],
      loss: ({ x, n, c }: Values) =>
        (Math.log10(Number(x)) + 3) ** 2 + ((Number(n) - 11) / 10) ** 2 + (c === 'c' ? 0 : 0.5),
    },
  ] satisfies {
    surface: string;
    least: number;
    parameters: Parameter[];
    loss: (values: Values) => number;
  }[])(
    'finds lower minima than random search on $surface, over 20 seeds',
    ({ parameters, loss, least }) => {
      const seeds = Array.from({ length: 20 }, (_, at) => at + 1);
      const regrets = (bayes: boolean) =>
        seeds.map((seed) => search(parameters, loss, seed, bayes) - least);
      const [tpe, random] = [regrets(true), regrets(false)];
      const mean = (values: readonly number[]) =>
        values.reduce((sum, value) => sum + value, 0) / values.length;
      expect(mean(tpe)).toBeLessThan(0.5 * mean(random));
      const better = tpe.filter((regret, at) => regret < (random[at] ?? 0)).length;
      expect(better).toBeGreaterThan(seeds.length / 2);
    },
  );
});

describe('a span', () => {
  it('maps a value to its position on the scale and back', () => {
    const log = span(Math.log(1e-4), Math.log(1e-2), { scale: 'log' });
    expect(spanValue(log, spanPlace(log, 0.003))).toBeCloseTo(0.003, 15);
    expect(spanPlace(log, 1)).toBe(log.high);
    expect(spanValue(span(0, 1, { quantum: 0.1 }), 0.31)).toBe(0.3);
  });
});
