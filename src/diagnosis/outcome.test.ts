import { describe, expect, it } from 'vitest';
import { type OutcomeState, outcomeOf } from './outcome.ts';
import { draw, flat, ramp, type Shape, step } from './testing/synthetic.ts';

const seeds = [1, 2, 3, 4, 5, 6, 7, 8];

function stateOf(shape: Shape, seed: number, more: { rows?: number; noise?: number } = {}) {
  const { rows = 120, noise = 0.05 } = more;
  const [series] = draw({ score: { shape, noise, within: [0, 1] } }, { rows, seed });
  if (series === undefined) throw new Error('nothing was drawn');
  return outcomeOf(series.x, series.y);
}

const shapes: readonly (readonly [OutcomeState, Shape])[] = [
  ['learning', ramp(0.1, 0.8, 0, 1)],
  ['learning', ramp(0.1, 0.95, 0.1, 0.5)],
  ['plateau', flat(0.4)],
  ['plateau', ramp(0.1, 0.5, 0, 0.25)],
  ['dead', flat(0)],
  ['slow_collapse', step(ramp(0.2, 0.6, 0, 0.4), 0.4, ramp(0.6, 0.02, 0.4, 0.9))],
  ['sudden_collapse', step(ramp(0.2, 0.6, 0, 0.6), 0.6, flat(0.02))],
  ['dip_and_recovery', step(flat(0.7), 0.4, step(flat(0.1), 0.55, flat(0.7)))],
  ['oscillating', (share) => 0.45 + 0.4 * Math.sin(2 * Math.PI * 4 * share)],
];

describe('the outcome state', () => {
  it.each(shapes)(
    'is %s for a series with such a shape, on at least 7 of 8 seeds',
    (state, shape) => {
      const noise = state === 'dead' ? 0 : 0.05;
      const states = seeds.map((seed) => stateOf(shape, seed, { noise })?.state);
      expect(states.filter((one) => one === state).length, states.join(' ')).toBeGreaterThanOrEqual(
        7,
      );
    },
  );

  it('does not depend on scale or offset', () => {
    for (const [state, shape] of shapes) {
      if (state === 'dead') continue;
      const [series] = draw({ score: { shape, noise: 0.03, within: [0, 1] } });
      const scaled = outcomeOf(
        series?.x ?? [],
        Float64Array.from(series?.y ?? [], (value) => 2000 * value - 1500),
      );
      expect(scaled?.state).toBe(state);
    }
  });

  it('is too_short for fewer than ten rows, and null for none', () => {
    expect(stateOf(ramp(0, 1, 0, 1), 1, { rows: 9 })?.state).toBe('too_short');
    expect(outcomeOf([], [])).toBeNull();
  });

  it('is not_finite if the score ends in NaN', () => {
    const y = [
      ...Array.from({ length: 20 }, () => 0.5),
      ...Array.from({ length: 20 }, () => Number.NaN),
    ];
    expect(
      outcomeOf(
        y.map((_, i) => i + 1),
        y,
      ),
    ).toMatchObject({
      state: 'not_finite',
      notFinite: { from: 21, count: 20 },
    });
  });

  it('is dead for a constant score of −21, and a plateau for a constant score of 1', () => {
    const x = Array.from({ length: 50 }, (_, i) => i);
    expect(
      outcomeOf(
        x,
        x.map(() => -21),
      )?.state,
    ).toBe('dead');
    expect(
      outcomeOf(
        x,
        x.map(() => 1),
      )?.state,
    ).toBe('plateau');
  });

  it('locates a sudden fall within two rows, and reports the step from which the score is constant', () => {
    const outcome = stateOf(step(flat(0.8), 0.5, flat(0)), 1, { noise: 0 });
    expect(outcome?.fall?.from).toBeGreaterThanOrEqual(58);
    expect(outcome?.fall?.to).toBeLessThanOrEqual(63);
    expect(outcome?.constantFrom).toBe(61);
  });

  it('has 90% intervals that contain the true level on at least 48 of 60 seeds', () => {
    const held = Array.from({ length: 60 }, (_, seed) => seed + 1).filter((seed) => {
      const outcome = stateOf(flat(0.4), seed);
      return outcome !== null && outcome.end.low <= 0.4 && outcome.end.high >= 0.4;
    });
    expect(held.length).toBeGreaterThanOrEqual(48);
  });
});
