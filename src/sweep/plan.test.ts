import { describe, expect, it } from 'vitest';
import { goesOn, rungsDown, rungsUp } from './asha.ts';
import type { Sweep } from './file.ts';
import { plan, type RunState, runName, type Segment, type Trial } from './plan.ts';
import type { Values } from './space.ts';

const base: Sweep = {
  name: 'test',
  description: '',
  sampler: 'random',
  metric: { key: 'eval/score', goal: 'maximize' },
  parameters: [
    {
      path: 'x',
      dimension: {
        ...{ kind: 'span', scale: 'linear', low: 0, high: 1, normal: null },
        ...{ quantum: null, whole: false },
      },
    },
  ],
  seeds: [1, 2],
  halving: null,
  trials: 4,
};

describe('successive halving', () => {
  it('has its rungs at min_iter · eta^k, or at max_iter / eta^k', () => {
    expect(rungsUp(3, 3, 100)).toEqual([3, 9, 27, 81]);
    expect(rungsUp(1, 4, 64)).toEqual([1, 4, 16, 64]);
    expect(rungsUp(1, 1.5, 8)).toEqual([1, 2, 3, 5, 8]);
    expect(rungsUp(1, 1 + Number.EPSILON, 8)).toEqual([1]);
    expect(rungsDown(27, 3, 2)).toEqual([3, 9]);
    expect(rungsDown(4, 3, 3)).toEqual([1]);
  });

  it('continues the best 1/eta of the trials, and always the best one', () => {
    expect(goesOn(1, [], 3)).toBe(true);
    expect(goesOn(1, [2], 3)).toBe(false);
    expect(goesOn(3, [2, 1], 3)).toBe(true);
    // Of six, the best two continue.
    expect(goesOn(4, [5, 3, 2, 1, 0], 3)).toBe(true);
    expect(goesOn(3, [5, 4, 2, 1, 0], 3)).toBe(false);
  });
});

/**
 * Simulates a sweep in which a run's metric is a function of its values, its seed and its progress.
 *
 * @param pick index of the due segment that ends next
 */
function playOut(
  sweep: Sweep,
  metric: (values: Values, seed: number, rung: number | null) => number | null,
  pick: (due: readonly Segment[]) => number,
) {
  const runs = new Map<string, RunState>();
  let trials: readonly Trial[] = [];
  for (let turn = 0; turn < 10_000; turn++) {
    const next = plan(sweep, trials, runs, 3);
    trials = next.trials;
    for (const { run } of next.stopped) {
      const rungs = runs.get(run)?.rungs ?? [];
      runs.set(run, { outcome: 'stopped', value: rungs.at(-1) ?? null, rungs });
    }
    if (next.done) return { trials, runs: new Map([...runs].sort()) };
    if (next.stopped.length > 0) continue;
    const segment = next.due[pick(next.due)];
    if (segment === undefined) throw new Error('nothing is due, and it is not done');
    const { run, trial, seed, rung } = segment;
    const value = metric(trials[trial - 1]?.values ?? {}, seed, rung);
    const rungs = runs.get(run)?.rungs ?? [];
    if (value === null) runs.set(run, { outcome: 'failed', value, rungs });
    else if (rung === null) runs.set(run, { outcome: 'finished', value, rungs });
    else runs.set(run, { outcome: null, value: null, rungs: [...rungs, value] });
  }
  throw new Error('it does not end');
}

describe('a plan', () => {
  it('schedules all runs of random search at once', () => {
    const { due, done, trials } = plan(base, [], new Map());
    expect(trials).toHaveLength(4);
    expect(due.map(({ run }) => run).slice(0, 3)).toEqual([
      runName(1, 1),
      runName(1, 2),
      runName(2, 1),
    ]);
    expect(due).toHaveLength(8);
    expect(done).toBe(false);
  });

  it('ignores trials beyond a lowered cap', () => {
    const { trials } = plan(base, [], new Map());
    const finished = { outcome: 'finished', value: 1, rungs: [] } satisfies RunState;
    const runs = new Map([1, 2].map((seed) => [runName(1, seed), finished]));
    const lowered = { ...base, trials: 2 };
    const next = plan(lowered, trials, runs);
    expect(next.trials).toEqual(trials.slice(0, 2));
    expect(next.due.map(({ run }) => run)).toEqual([runName(2, 1), runName(2, 2)]);
    for (const seed of [1, 2]) runs.set(runName(2, seed), finished);
    expect(plan(lowered, trials, runs).done).toBe(true);
  });

  it('adds no bayes trial until enough earlier trials have ended', () => {
    const sweep: Sweep = { ...base, sampler: 'bayes', trials: 20 };
    const first = plan(sweep, [], new Map(), 3);
    expect(first.trials).toHaveLength(3);
    const one = new Map(
      [1, 2].map((seed) => [
        runName(2, seed),
        { outcome: 'finished', value: 1, rungs: [] } satisfies RunState,
      ]),
    );
    // The second trial has ended, but the fourth depends on the result of the first.
    expect(plan(sweep, first.trials, one, 3).trials).toHaveLength(3);
  });

  const metric = ({ x }: Values, seed: number, rung: number | null) =>
    Number(x) * 10 + seed / 100 + (rung ?? 5);
  const schedules = [
    (_: readonly Segment[]) => 0,
    (due: readonly Segment[]) => due.length - 1,
    (due: readonly Segment[]) => 7919 % due.length,
    (due: readonly Segment[]) => Math.floor(due.length / 2),
  ];

  it.each(['random', 'bayes'] as const)(
    'creates and stops the same trials under %s, regardless of which run is faster',
    (sampler) => {
      const sweep: Sweep = {
        ...{ ...base, sampler, trials: 30 },
        halving: { rungs: [2, 6, 18], eta: 3 },
      };
      const [first, ...others] = schedules.map((pick) => playOut(sweep, metric, pick));
      expect(first?.runs.size).toBe(60);
      const stopped = [...(first?.runs.values() ?? [])].filter((run) => run.outcome === 'stopped');
      expect(stopped.length).toBeGreaterThan(20);
      for (const other of others) expect(other).toEqual(first);
    },
  );

  it('stops the same trials as a hand-worked example', () => {
    const scores = [5, 3, 4, 6, 1, 2];
    const sweep: Sweep = {
      ...base,
      ...{ sampler: 'grid', seeds: [1], trials: 6, halving: { rungs: [2], eta: 3 } },
      parameters: [
        {
          path: 'x',
          dimension: {
            kind: 'choice',
            values: [0, 1, 2, 3, 4, 5],
            probabilities: Array(6).fill(1 / 6),
          },
        },
      ],
    };
    const { runs } = playOut(
      sweep,
      ({ x }) => scores[Number(x)] ?? 0,
      () => 0,
    );
    // 5 is the first and continues. 3 and 4 are below it and stop. 6 is the best and continues. 1 stops. Of
    // six, the best two continue, so 2 stops.
    expect([...runs.values()].map(({ outcome }) => outcome)).toEqual([
      ...['finished', 'stopped', 'stopped', 'finished', 'stopped', 'stopped'],
    ]);
  });

  it('finishes even if some runs fail', () => {
    const sweep: Sweep = { ...base, trials: 9, halving: { rungs: [2, 6], eta: 3 } };
    const failing = (values: Values, seed: number, rung: number | null) =>
      Number(values.x) > 0.5 && seed === 2 ? null : metric(values, seed, rung);
    const results = schedules.map((pick) => playOut(sweep, failing, pick));
    for (const result of results) expect(result).toEqual(results[0]);
    const outcomes = [...(results[0]?.runs.values() ?? [])].map(({ outcome }) => outcome);
    expect(outcomes).toContain('failed');
    expect(outcomes).toContain('finished');
    expect(outcomes).toHaveLength(18);
  });
});
