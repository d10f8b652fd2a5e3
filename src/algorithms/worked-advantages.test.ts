import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advantageNames, estimators } from './advantages.ts';
import { episode, signals, singles } from './testing/signals.ts';
import { workOutAdvantages } from './worked-advantages.ts';

describe('workOutAdvantages', () => {
  /** Every episode twice, so that no group has a single one. */
  const doubled = signals
    .filter((episodes) => episodes.length > 0)
    .map((episodes) => episodes.flatMap((e) => [e, e]));

  it.each(advantageNames)("matches the trainer's advantages for %s", (name) => {
    fc.assert(
      fc.property(
        doubled,
        fc.constantFrom(0, 0.5, 0.99, 1),
        fc.constantFrom(0, 0.9, 1),
        (episodes, gamma, lambda) => {
          const trained = estimators[name].estimate(episodes, { gamma, lambda });
          const worked = workOutAdvantages(name, episodes, { gamma, lambda });
          for (const [i, { advantages: A, returns }] of trained.entries()) {
            const tokens = worked.episodes[i]?.tokens ?? [];
            expect(tokens).toHaveLength(A.length);
            for (const [t, token] of tokens.entries()) {
              expect(token.advantage).toBeCloseTo(A[t] ?? Number.NaN, 6);
              if (returns === undefined) continue;
              expect(token.estimate + (token.value ?? Number.NaN)).toBeCloseTo(
                returns[t] ?? Number.NaN,
                6,
              );
            }
          }
        },
      ),
    );
  });

  it('can whiten as many episodes as the largest replay holds', () => {
    const many = Array.from({ length: 130_000 }, (_, i) => ({
      ...episode(0, i % 2),
      values: [0.5],
      bootstrap: 0,
    }));
    const settings = { gamma: 0.99, lambda: 0.95 };
    expect(estimators.gae.estimate(many, settings).at(-1)?.advantages).toEqual([1]);
    expect(estimators.reinforce_plus_plus.estimate(many, settings).at(-1)?.advantages).toEqual([1]);
    const worked = workOutAdvantages('reinforce_plus_plus', many, settings);
    expect(worked.episodes.at(-1)?.tokens[0]?.advantage).toBe(1);
  });

  it('shows GRPO’s mean, standard deviation and resulting advantages', () => {
    const [solved, failed] = workOutAdvantages('grpo', singles(0, [1, 0, 0, 0]), {
      gamma: 1,
      lambda: 1,
    }).episodes;
    expect(solved).toMatchObject({ reward: 1, baseline: 0.25 });
    expect(solved?.scale).toBeCloseTo(0.5, 5);
    expect(solved?.tokens[0]?.advantage).toBeCloseTo(1.5, 5);
    expect(failed?.tokens[0]?.advantage).toBeCloseTo(-0.5, 5);
  });

  it('shows the baselines: the mean of the other rewards for RLOO, the greedy reward for ReMax', () => {
    const settings = { gamma: 1, lambda: 1 };
    const rloo = workOutAdvantages('rloo', singles(0, [1, 0, 0.5]), settings).episodes;
    expect(rloo.map(({ baseline }) => baseline)).toEqual([0.25, 0.75, 0.5]);
    const greedy = singles(0, [1]).map((signal) => ({ ...signal, greedyReward: 0.25 }));
    const [remax] = workOutAdvantages('remax', greedy, settings).episodes;
    expect(remax).toMatchObject({ reward: 1, baseline: 0.25, scale: null });
    expect(remax?.tokens[0]?.advantage).toBe(0.75);
  });

  it('shows GAE’s TD errors and their λ-weighted sums', () => {
    const signal = { ...episode(0, 0, 1), values: [0.5, 0.25], bootstrap: 0 };
    const { episodes, whitening } = workOutAdvantages('gae', [signal], { gamma: 0.5, lambda: 0.5 });
    const [first, last] = episodes[0]?.tokens ?? [];
    expect(last).toMatchObject({
      reward: 1,
      value: 0.25,
      nextValue: 0,
      delta: 0.75,
      estimate: 0.75,
    });
    expect(first).toMatchObject({ reward: 0, value: 0.5, nextValue: 0.25, delta: -0.375 });
    expect(first?.estimate).toBeCloseTo(-0.375 + 0.25 * 0.75, 12);
    expect(whitening?.count).toBe(2);
  });

  it('is exactly zero for equal rewards', () => {
    for (const name of ['grpo', 'dr_grpo', 'rloo'] as const) {
      const { episodes } = workOutAdvantages(name, singles(0, [0.1, 0.1, 0.1]), {
        gamma: 1,
        lambda: 1,
      });
      for (const { tokens } of episodes) expect(tokens[0]?.advantage).toBe(0);
    }
  });
});
