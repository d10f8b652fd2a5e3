import { describe, expect, it } from 'vitest';
import { presetConfig } from '../config/presets.ts';
import type { MetricRow } from '../runs/metrics.ts';
import {
  formatRun,
  KeptRunError,
  keepRows,
  keptColumn,
  keptDomains,
  keptMean,
  keptTestTime,
  measuredAtTheEnd,
  parseRun,
  summarize,
} from './run.ts';

/** Rows of iterations with 10 turns and 30 tokens each; every second iteration is evaluated. */
function rows(count: number): MetricRow[] {
  return Array.from({ length: count }, (_, i) => ({
    iteration: i + 1,
    'progress/turns': 10 * (i + 1),
    'progress/tokens': 30 * (i + 1),
    'rollout/success_rate': i / count,
    'policy/grad_norm_max': i === 3 ? 7 : 1,
    'policy/skipped_updates': 1,
    'policy/entropy': 1 / 3,
    'policy/staleness': i % 2,
    'time/seconds': i,
    ...(i % 2 === 1 ? { 'eval/success_rate': i / count } : {}),
  }));
}

function runOf(count: number) {
  return {
    arm: 'a, b',
    seed: 3,
    config: presetConfig('maze'),
    adapter: 'a processor',
    made: {
      command: 'npm run reproduce -- x',
      date: '2026-11-21',
      code: '0123456789abcdef',
      opening: { iterations: 5, metrics: ['iteration'], digest: 'abc' },
    },
    model: { digest: 'abc', rank: 'all' as const, sampled: [0.25, 0.5] as const },
    imitationSuccess: null,
    ...summarize(rows(count), 0.5),
    greedySuccess: 0.5,
    seconds: 1,
    rows: keepRows(rows(count)),
  };
}

describe('summarize', () => {
  it('computes a run’s results from its rows', () => {
    expect(summarize(rows(20), 0.5)).toEqual({
      // Evaluation after iteration n = 2, 4, … gives (n − 1)/20: 0.45 after the tenth, 0.55 after
      // the twelfth.
      turnsToTarget: 120,
      turns: 200,
      tokens: 600,
      iterations: 20,
      // From turn 181 on: iterations 19 and 20.
      sampledSuccess: expect.closeTo((18 / 20 + 19 / 20) / 2, 12),
      areaUnderCurve: expect.closeTo(9.5 / 20, 12),
      entropy: expect.closeTo(1 / 3, 12),
      worstGradNorm: 7,
      staleness: 0.5,
      evaluations: expect.arrayContaining([[120, 0.55]]),
    });
    expect(summarize(rows(20), 0.99).turnsToTarget).toBeNull();
  });

  it('finds the largest gradient norm of a run with 130,000 iterations', () => {
    expect(summarize(rows(130_000), 2).worstGradNorm).toBe(7);
  });
});

describe('keepRows', () => {
  it('keeps one row per iteration, with the metrics that tables need but no times', () => {
    const kept = keepRows(rows(20));
    expect(kept.window).toBe(1);
    expect(kept.columns).toContain('policy/entropy');
    expect(kept.columns).not.toContain('policy/clip_fraction_low');
    expect(kept.columns.some((key) => key.startsWith('time/'))).toBe(false);
    expect(kept.values).toHaveLength(20);
    expect(kept.values[1]?.[kept.columns.indexOf('policy/entropy')]).toBe(0.33333);
    expect(kept.values[0]?.[kept.columns.indexOf('eval/success_rate')]).toBeNull();
  });

  it('aggregates the iterations of long runs in windows, depending on the type of metric', () => {
    const kept = keepRows(rows(401));
    expect(kept.window).toBe(3);
    expect(kept.values).toHaveLength(134);
    const first = Object.fromEntries(kept.columns.map((key, i) => [key, kept.values[0]?.[i]]));
    const second = Object.fromEntries(kept.columns.map((key, i) => [key, kept.values[1]?.[i]]));
    expect(first).toMatchObject({
      iteration: 3,
      'progress/turns': 30,
      'rollout/success_rate': Number((1 / 401).toPrecision(5)),
      'policy/skipped_updates': 3,
      'policy/staleness': 0.33333,
    });
    expect(second['policy/grad_norm_max']).toBe(7);
    expect(JSON.stringify(keepRows(rows(100_000))).length).toBeLessThan(40_000);
  });

  it('keeps columns that can be read, or averaged over the run or its last tenth', () => {
    const run = runOf(20);
    expect(keptColumn(run, 'iteration')?.slice(-2)).toEqual([19, 20]);
    expect(keptMean(run, 'policy/staleness')).toBe(0.5);
    expect(keptMean(run, 'rollout/success_rate', 'end')).toBeCloseTo(0.925, 12);
    expect(keptMean(run, 'policy/clip_fraction_low')).toBeNull();
    const { rows: _, ...without } = run;
    expect(keptMean(without, 'policy/staleness')).toBeNull();
  });
});

describe('a kept file', () => {
  it('round-trips, with one line per row', () => {
    const run = runOf(20);
    const text = formatRun(run);
    expect(parseRun('x.json', text)).toEqual(run);
    expect(text.split('\n').filter((line) => /^ {2}\[\d/.test(line))).toHaveLength(20);
    const { rows: _, ...without } = run;
    expect(parseRun('x.json', formatRun(without))).toEqual(without);
  });

  it('keeps the final evaluation’s metrics other than success, and rejects unknown ones', () => {
    const final = measuredAtTheEnd({
      'eval/success_rate': 0.5,
      'critique/discrimination': 2 / 3,
      'critique/stage': 2,
    });
    expect(final).toEqual({
      measured: { 'critique/discrimination': 0.66667, 'critique/stage': 2 },
    });
    expect(measuredAtTheEnd({ 'eval/success_rate': 0.5 })).toEqual({});
    const run = { ...runOf(2), ...final };
    expect(parseRun('x.json', formatRun(run))).toEqual(run);
    const unknown = formatRun(run).replace('critique/stage', 'critique/state');
    expect(() => parseRun('x.json', unknown)).toThrow(KeptRunError);
  });

  it('is rejected if a field is invalid, and the error names the field', () => {
    const text = formatRun(runOf(20));
    const broken: [string, RegExp][] = [
      ['{', /x\.json is not a run of an experiment: /],
      [text.replace('"seed": 3,\n "config"', '"seed": "three",\n "config"'), /seed: /],
      [text.replace('"greedySuccess": 0.5', '"greedySuccess": 50'), /greedySuccess: /],
      [text.replace('"policy/entropy"', '"policy/entropie"'), /rows\.columns/],
      [text.replace('"layers": 2', '"layers": 0'), /policy\.layers/],
    ];
    for (const [changed, problem] of broken) {
      expect(changed).not.toBe(text);
      expect(() => parseRun('x.json', changed)).toThrow(KeptRunError);
      expect(() => parseRun('x.json', changed)).toThrow(problem);
    }
  });
});

describe('a measurement of a trained run', () => {
  it('is stored with its intervals and read back', () => {
    const about = (mean: number) => ({ mean, low: mean / 2, high: 1 });
    const draw = { how: 'debate', samples: 3, rounds: 1 } as const;
    const point = {
      samples: 3,
      tokens: 80.123456,
      majority: about(2 / 3),
      pass: about(1),
      last: null,
    };
    const testTime = keptTestTime({ tasks: 9, draws: [draw] }, [{ ...draw, points: [point] }]);
    const domains = keptDomains([
      {
        ...{ name: 'chains', heard: true, tasks: 9 },
        numbers: {
          ...{ accuracy: about(1 / 3), refinedAccuracy: about(1), discrimination: about(0.5) },
          ...{ discriminationRight: about(1), discriminationWrong: null },
          ...{ incorrectToCorrect: about(0), correctToIncorrect: about(0) },
        },
      },
    ]);
    const read = parseRun('a.json', formatRun({ ...runOf(20), testTime, domains }));
    expect(read).toMatchObject({ testTime, domains });
    expect(read.testTime?.curves[0]?.points[0]).toMatchObject({
      tokens: 80.123,
      majority: { mean: 0.66667, low: 0.33333, high: 1 },
    });
    const { accuracy: _, ...fewer } = domains[0]?.numbers ?? {};
    const spoilt = JSON.stringify({ ...runOf(20), domains: [{ ...domains[0], numbers: fewer }] });
    expect(() => parseRun('a.json', spoilt)).toThrow(/domains\.0\.numbers/);
  });
});
