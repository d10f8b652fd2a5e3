import { describe, expect, it } from 'vitest';
import { compareRuns } from './compare.ts';
import { draw, flat, ramp, step } from './testing/synthetic.ts';

const settings = new Map<string, number | string>([['lr', 1e-6]]);
const rise = { shape: ramp(0.2, 0.8, 0, 1), noise: 0.03 };

describe('a comparison of two runs', () => {
  it('reports where the score diverges and which series diverged before it', () => {
    const good = draw({
      'critic/score/mean': rise,
      'response_length/mean': { shape: flat(300), noise: 10 },
      'actor/entropy': { shape: flat(0.5), noise: 0.03 },
    });
    const bad = draw(
      {
        'critic/score/mean': { ...rise, shape: step(ramp(0.2, 0.8, 0, 1), 0.6, flat(0.1)) },
        'response_length/mean': { shape: step(flat(300), 0.5, flat(900)), noise: 10 },
        'actor/entropy': { shape: flat(0.5), noise: 0.03 },
      },
      { seed: 2 },
    );
    const { outcome, series } = compareRuns(
      { series: good, settings },
      {
        series: bad,
        settings: new Map([
          ['lr', 1e-5],
          ['beta', 0],
        ]),
      },
    );
    expect(outcome?.at).toBeGreaterThan(66);
    expect(outcome?.at).toBeLessThan(76);
    expect(series[0]).toMatchObject({ quantity: 'length' });
    expect(series[0]?.at).toBeGreaterThan(55);
    expect(series[0]?.at).toBeLessThan(64);
    expect(series.at(-1)).toMatchObject({ quantity: 'entropy', at: null });
  });

  it('lists the settings that differ and omits equal ones', () => {
    const series = draw({ reward: rise });
    const other = new Map<string, number | string>([
      ['lr', 1e-6],
      ['beta', 0.04],
    ]);
    expect(compareRuns({ series, settings }, { series, settings: other }).settings).toEqual([
      { path: 'beta', values: [undefined, 0.04] },
    ]);
  });

  it('finds no divergence between runs that differ only in seed, for at least 18 of 20 pairs', () => {
    const never = Array.from({ length: 20 }, (_, seed) => {
      const [a, b] = [1, 2].map((more) => draw({ reward: rise }, { seed: 2 * seed + more }));
      return compareRuns({ series: a ?? [], settings }, { series: b ?? [], settings }).outcome?.at;
    }).filter((at) => at === null);
    expect(never.length).toBeGreaterThanOrEqual(18);
  });

  it('compares a quantity that two tools name differently, over the steps that both runs have', () => {
    const a = draw({ 'critic/score/mean': rise });
    const b = draw({ reward: rise }, { rows: 60 });
    const { outcome, steps } = compareRuns({ series: a, settings }, { series: b, settings });
    expect(steps).toEqual({ from: 1, to: 60 });
    expect(outcome?.keys).toEqual(['critic/score/mean', 'reward']);
  });

  it('has no outcome if the runs share no series', () => {
    const [a, b] = [draw({ reward: rise }), draw({ loss: rise })];
    const comparison = compareRuns({ series: a, settings }, { series: b, settings });
    expect(comparison).toMatchObject({ outcome: null, series: [] });
  });
});
