import { describe, expect, it } from 'vitest';
import { presetConfig } from '../config/presets.ts';
import type { Cure } from './cures.ts';
import { judge, nothingPlayed, type PlayedFork, withEvent } from './judge.ts';
import { type AutopsyPlan, costOf, forksOf } from './plan.ts';

const cure = (name: string, mode: Cure['mode']): Cure => ({
  ...{ name, mode, set: [], freshOptimizer: false },
});

const plan: AutopsyPlan = {
  mode: 'learning_rate_too_high',
  config: presetConfig('maze'),
  after: 10,
  to: 18,
  seeds: [1],
  cures: [cure('a third', 'learning_rate_too_high'), cure('bounds', 'no_step_bound')],
};

/** A fork that fails in iterations 11 to 14 and has these success rates from iteration 15 on. */
function fork(
  success: readonly number[],
  greedy: number | null = 0,
  problem: string | null = null,
) {
  const rows = [0, 0, 0, 0, ...success].map((value, i) => ({
    iteration: 11 + i,
    metrics: { iteration: 11 + i, 'rollout/success_rate': value },
  }));
  return { rows, end: { type: 'end', place: 0, greedy, problem } } as const satisfies PlayedFork;
}

const judged = (...forks: PlayedFork[]) => {
  const trial = judge(plan, { shared: [], forks });
  if (trial === null) throw new Error('nothing was judged');
  return { ...trial, fates: trial.cures.map(({ fate }) => fate) };
};

describe('the verdict on forks', () => {
  it('is null before a seed is complete', () => {
    let played = nothingPlayed(plan);
    expect(played.forks).toHaveLength(3);
    expect(judge(plan, played)).toBeNull();
    played = withEvent(played, { type: 'end', place: 1, greedy: 1, problem: null });
    expect(judge(plan, played)).toBeNull();
    for (const place of [0, 2]) {
      played = withEvent(played, { type: 'end', place, greedy: 0, problem: null });
    }
    expect(judge(plan, played)?.outcome).toBe('proved');
  });

  it('uses the last quarter of the iterations', () => {
    const { asItWas, cures, fates, outcome, text } = judged(
      fork([0.9, 0.9, 0.2, 0.1], 0.1),
      fork([0, 0, 0.8, 0.9], 1),
      fork([0.9, 0.9, 0.2, 0.16], 0.2),
    );
    expect(asItWas.success.mean).toBeCloseTo(0.15);
    expect(cures.map(({ difference }) => difference.mean)).toEqual([
      expect.closeTo(0.7),
      expect.closeTo(0.03),
    ]);
    expect(fates).toEqual(['lives', 'fails']);
    expect(outcome).toBe('proved');
    expect(text).toBe(
      'Continued from iteration 10 to 18, the unchanged run solves 15% in the end. It gains most with a third (85%). It gains little or nothing with bounds (18%, a cure of no step bound).',
    );
  });

  it('fills in the iterations that a fork skipped: with its greedy success if it reached the target, as failures if it diverged', () => {
    const { cures, asItWas } = judged(
      fork([0.5, 0.5, 0.5], null, 'the gradient is not finite'),
      fork([0.4], 1),
      fork([0.4, 0.5, 0.6], 1),
    );
    expect(asItWas.success.mean).toBeCloseTo(0.25);
    expect(asItWas.greedy).toBeNull();
    expect(asItWas.problems).toEqual(['the gradient is not finite']);
    expect(cures.map(({ success }) => success.mean)).toEqual([1, expect.closeTo(0.8)]);
    expect(cures.map(({ greedy, iterations }) => [greedy, iterations])).toEqual([
      [1, 5],
      [1, 7],
    ]);
  });

  it('refutes a finding if its own cures fail or only help, or if the unchanged run succeeds', () => {
    const dead = fork([0, 0, 0, 0]);
    expect(judged(dead, dead, dead)).toMatchObject({
      outcome: 'refuted',
      fates: ['fails', 'fails'],
    });
    const some = judged(dead, fork([0, 0, 0.2, 0.2]), fork([0, 0, 0.9, 0.9]));
    expect(some).toMatchObject({ outcome: 'refuted', fates: ['helps', 'lives'] });
    const well = judged(fork([1, 1, 0.95, 0.95]), fork([1, 1, 1, 1]), dead);
    expect(well.outcome).toBe('refuted');
    expect(well.text).toMatch(/succeeds without a cure/);
  });

  it('leaves the finding open if no cure could be tried', () => {
    const other = { ...plan, mode: 'entropy_collapse' } as const;
    const forks = [fork([0, 0, 0, 0]), fork([1, 1, 1, 1]), fork([1, 1, 1, 1])];
    expect(judge(other, { shared: [], forks })?.outcome).toBe('open');
  });

  it('requires several seeds to agree', () => {
    const three = { ...plan, seeds: [1, 2, 3] };
    expect(forksOf(three)).toHaveLength(9);
    expect(costOf(three)).toBe(10 + 9 * 8);
    const constant = (success: number) => fork([0, 0, success, success]);
    const forks = (gains: readonly number[]) =>
      gains.flatMap((gain) => [constant(0.2), constant(0.2 + gain), constant(0.2)]);
    const agreed = judge(three, { shared: [], forks: forks([0.6, 0.7, 0.65]) });
    expect(agreed?.cures.map(({ fate }) => fate)).toEqual(['lives', 'fails']);
    expect(agreed?.cures[0]?.difference.low).toBeGreaterThan(0.4);
    expect(agreed?.text).toMatch(
      /with 3 seeds.*It gains most with a third \(85% \(\d+% to \d+%\)\)/,
    );
    const split = judge(three, { shared: [], forks: forks([0.8, 0, 0.05]) });
    expect(split).toMatchObject({ outcome: 'open' });
    expect(split?.cures[0]?.fate).toBe('open');
  });
});
