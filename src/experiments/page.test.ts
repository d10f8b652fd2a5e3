import { describe, expect, it } from 'vitest';
import { median } from '../algorithms/median.ts';
import type { Experiment } from './catalogue.ts';
import { armCell, columns, greedyArea, pairedDifference, percent } from './columns.ts';
import type { KeptRun } from './kept-run.ts';
import { experimentPage } from './page.ts';
import { keptRun } from './testing/kept-runs.ts';

const experiment: Experiment = {
  name: 'two-clips',
  title: 'Two clips',
  question: 'Which is better?',
  preset: 'maze',
  arms: [
    { name: 'fixed', set: [] },
    { name: 'wide', set: [] },
  ],
  seeds: [21, 22, 23],
  varies: null,
  target: 0.95,
};

function run(arm: string, seed: number, greedySuccess: number, more: Partial<KeptRun> = {}) {
  const turnsToTarget = greedySuccess >= 0.95 ? 12_345 : null;
  return keptRun({ arm, seed, greedySuccess, turnsToTarget, turns: 120_000, ...more });
}

describe('median', () => {
  it('is the middle value, or the mean of the two middle values', () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});

describe('percent', () => {
  it('writes no sign before zero', () => {
    expect([-0.0004, -0.0006, 0].map(percent)).toEqual(['0.0%', '-0.1%', '0.0%']);
  });
});

describe('greedyArea', () => {
  it('averages interpolated evaluations over the run’s turns', () => {
    const evaluated = { turns: 100, greedySuccess: 1, evaluations: [[50, 0.5]] } as const;
    // (50·(0 + 0.5)/2 + 50·(0.5 + 1)/2) / 100
    expect(greedyArea({ ...evaluated, imitationSuccess: null })).toBeCloseTo(0.5, 12);
    // (50·(0.3 + 0.5)/2 + 50·(0.5 + 1)/2) / 100
    expect(greedyArea({ ...evaluated, imitationSuccess: 0.3 })).toBeCloseTo(0.575, 12);
  });
});

describe('ruleCorrelation, ruleDirection and rises', () => {
  it('compares measured and predicted changes of the same update', () => {
    const rows = {
      window: 1,
      columns: ['iteration', 'diagnostics/entropy_change', 'diagnostics/entropy_rule'],
      // The third update was skipped, and the last has no prediction.
      values: [
        [1, -1, -3],
        [2, 1, 1],
        [3, null, null],
        [4, 3, -1],
        [5, 2, null],
      ],
    } as const satisfies KeptRun['rows'];
    const of = run('fixed', 1, 1, { rows });
    // Deviations from the means 1 and −1: (−2, −2), (0, 2), (2, 0).
    expect(columns.ruleCorrelation.value(of)).toBeCloseTo(4 / 8, 12);
    expect(columns.ruleDirection.value(of)).toBeCloseTo(2 / 3, 12);
    expect(columns.rises.value(of)).toBeCloseTo(2 / 3, 12);
    expect(columns.ruleCorrelation.value(run('fixed', 1, 1))).toBeUndefined();
  });
});

describe('pairedDifference', () => {
  it('compares arms on their common seeds', () => {
    // Differences 0.1, 0.2, 0.3: mean 0.2, standard deviation 0.1.
    const runs = [
      ...[0.5, 0.5, 0.5].map((success, i) => run('fixed', 21 + i, success)),
      ...[0.6, 0.7, 0.8, 1].map((success, i) => run('wide', 21 + i, success)),
    ];
    const paired = pairedDifference('greedy', runs, 'wide', 'fixed');
    expect(paired.pairs).toBe(3);
    expect(paired.mean).toBeCloseTo(0.2, 12);
    // Mapped from [−1, 1] to [0, 1], the mean is 0.6; the half-width of the interval of its logit is
    // 4.30265·0.1/√3/2/0.24.
    const half = (4.30265 * 0.1) / Math.sqrt(3) / 2 / 0.24;
    const at = (x: number) => -1 + 2 / (1 + Math.exp(-x));
    expect(paired.low).toBeCloseTo(at(Math.log(1.5) - half), 5);
    expect(paired.high).toBeCloseTo(at(Math.log(1.5) + half), 5);
    // Entropy has no upper bound, so its interval is Student's.
    const entropies = pairedDifference(
      'entropy',
      [
        run('fixed', 21, 1, { entropy: 1 }),
        run('fixed', 22, 1, { entropy: 2 }),
        run('wide', 21, 1, { entropy: 2 }),
        run('wide', 22, 1, { entropy: 5 }),
      ],
      'wide',
      'fixed',
    );
    expect(entropies).toMatchObject({ mean: 2, low: expect.closeTo(2 - 12.7062, 4), pairs: 2 });
  });
});

describe('experimentPage', () => {
  it('keeps intervals between 0 and 1, and distinguishes runs that reached the target from runs that end at it', () => {
    const page = experimentPage(experiment, [
      run('fixed', 21, 0.8, { turnsToTarget: 40_000 }),
      run('fixed', 22, 1),
    ]);
    // Mean 0.9, half-width of Student's interval 12.7062·0.1; divided by 0.9·0.1, this is 14.1 on the logit
    // scale.
    expect(page).toContain('| fixed | 2 | 2 of 2 | 1 of 2 | 26k | 90.0% [0.0%, 100.0%] |');
    expect(page).toContain('| fixed | 21 | no | 40k | 80.0% |');
    expect(page).toContain('| fixed | 22 | yes | 12k | 100.0% |');
    expect(page).not.toMatch(/-\d+\.\d%/);
  });

  it('distinguishes an overflow from a value missing in earlier files', () => {
    const { worstGradNorm: _, staleness: __, ...earlier } = run('fixed', 22, 1);
    const page = experimentPage(experiment, [
      run('fixed', 21, 1, { worstGradNorm: null }),
      { ...earlier, stale: 'code' },
    ]);
    const [overflowed, old] = page
      .split('\n')
      .filter((line) => /^\| fixed.* \| 2[12] \|/.test(line));
    expect(overflowed).toContain('| 1.00 | ∞ | 2.00 |');
    expect(old).toContain('| 1.00 ‡ | not kept | not kept |');
    expect(page).toContain('| 2.00 (1 of 2 kept) |');
    expect(page).toContain('‡ by an earlier definition');
  });

  it('marks every number computed from stale runs', () => {
    const fresh = experimentPage(experiment, [run('fixed', 21, 1), run('wide', 21, 1)]);
    expect(fresh).not.toContain('†');
    const page = experimentPage(
      { ...experiment, comparisons: [{ arm: 'wide', against: 'fixed', of: ['greedy'] }] },
      [run('fixed', 21, 1, { stale: 'code' }), run('fixed', 22, 1), run('wide', 21, 1)],
    );
    expect(page).toContain('| fixed † | 2 |');
    expect(page).toContain('| fixed † | 21 |');
    expect(page).toContain('| fixed | 22 |');
    expect(page).toContain('| wide | 1 |');
    expect(page).toContain('| wide † | fixed | greedy success | 1 | 0.0% | 0.0% |');
    expect(page).toContain('† stale: made by an earlier version of the code;');
  });

  it('shows test-time samples and compares them at equal tokens', () => {
    const sure = (mean: number) => ({ mean, low: mean, high: mean });
    const point = (samples: number, tokens: number, majority: number, last: number | null) => ({
      ...{ samples, tokens, majority: sure(majority), pass: sure(1) },
      last: last === null ? null : sure(last),
    });
    const drawn = (bonus: number): Partial<KeptRun> => ({
      testTime: {
        plan: { tasks: 200, draws: [] },
        curves: [
          {
            ...{ how: 'answers', samples: 4 },
            points: [point(1, 10, 0.4, null), point(4, 40, 0.6, null)],
          },
          {
            ...{ how: 'rounds', samples: 2 },
            points: [point(1, 10, 0.4, 0.4), point(2, 20, 0.7 + bonus, 0.8)],
          },
          { ...{ how: 'debate', samples: 3, rounds: 2 }, points: [point(3, 90, 0.7, null)] },
        ],
      },
    });
    const page = experimentPage(experiment, [
      run('fixed', 21, 1, drawn(0)),
      run('fixed', 22, 1, drawn(0.1)),
      run('wide', 21, 1, drawn(0)),
    ]);
    expect(page).toContain('Samples of 200 evaluation tasks');
    expect(page).toMatch(
      /\| fixed \| one answer refined again and again \| 2 \| 20 \| 75\.0% \[.*\] \| 80\.0%/,
    );
    expect(page).toContain('| wide | debate of 3, 2 rounds | 3 | 90 | 70.0% | – | 100.0% |');
    // Plain answers reach 0.5 at 20 tokens, half the way from 10 to 40 on a log scale.
    expect(page).toMatch(
      /\| fixed \| one answer refined again and again \| majority \| 2 \| \+25\.0% \[/,
    );
    expect(page).toContain(
      '| wide | one answer refined again and again | last | 2 | +30.0% | +30.0% |',
    );
    expect(page).toContain('| wide | debate of 3, 2 rounds | majority | 3 | beyond | beyond |');
    expect(page).toContain('| wide | answers, no critic | majority | 4 | – | 0.0% |');
  });

  it('shows a critic’s results by domain, and whether it was trained there', () => {
    const sure = (mean: number) => ({ mean, low: mean, high: mean });
    const domain = (accuracy: number) => ({
      ...{ name: 'ledgers', heard: false, tasks: 400 },
      numbers: {
        ...{ accuracy: sure(accuracy), refinedAccuracy: sure(0.5), discrimination: sure(0.7) },
        ...{ discriminationRight: sure(1), discriminationWrong: null },
        ...{ incorrectToCorrect: sure(0), correctToIncorrect: sure(0) },
      },
    });
    const page = experimentPage(experiment, [
      run('fixed', 21, 1, { domains: [domain(0.4)] }),
      run('wide', 21, 1, { domains: [domain(0.2)], stale: 'code' }),
    ]);
    expect(page).toContain(
      '| fixed | ledgers | no | 400 | 40.0% | 50.0% | 70.0% | 100.0% | – | 0.0% | 0.0% |',
    );
    expect(page).toContain('| wide † | ledgers | no | 400 | 20.0% |');
  });

  it('shows the columns that the experiment names, from the kept rows', () => {
    const rows = {
      window: 1,
      columns: ['policy/clip_fraction_low', 'policy/episodes'] as const,
      values: [
        [0.1, 64],
        [0.2, 63],
      ],
    };
    const of = [run('fixed', 21, 1, { rows, tokens: 4000 }), run('fixed', 22, 1)];
    const page = experimentPage(
      { ...experiment, columns: ['clippedLow', 'clippedHigh', 'episodesPerUpdate', 'tokens'] },
      of,
    );
    expect(page).toContain(
      '| arm | seeds | reached 95.0% | ends at target | clipped below | clipped above | episodes per update | tokens |',
    );
    expect(page).toContain(
      '| 15.0% (1 of 2 kept) | not kept | 63.5 (1 of 2 kept) | 4k (1 of 2 kept) |',
    );
    expect(armCell('replayShare', of)).toBe('0.0% [0.0%, 0.0%]');
  });

  it('states the numbers of tasks after imitation and at the end if they differ', () => {
    const tasks = { onTheWay: 225, atTheEnd: 477 };
    const page = experimentPage(experiment, [
      run('fixed', 21, 1, { evaluationTasks: tasks, imitationSuccess: 0.5 }),
    ]);
    expect(page).toContain('225 tasks after imitation and during training, 477 at the end');
    expect(page).toContain('| after imitation |');
  });

  it('reports critic results, and omits a missing target', () => {
    const criticized: Experiment = {
      ...experiment,
      target: null,
      columns: ['refinedAccuracy', 'oracleVerdict', 'constantVerdict', 'refinementGain'],
      comparisons: [{ arm: 'wide', against: 'fixed', of: ['refinedAccuracy'] }],
    };
    const of = (arm: string, refined: number) =>
      run(arm, 21, 0.4, {
        measured: {
          'critique/accuracy': 0.4,
          'critique/refined_accuracy': refined,
          'critique/incorrect_to_correct': 0.25,
          'critique/delta': refined - 0.4,
        },
      });
    const page = experimentPage(criticized, [of('fixed', 0.5), of('wide', 0.25)]);
    expect(page).toContain('| fixed | 1 | 50.0% | 65.0% | 60.0% | 10.0% |');
    expect(page).toContain('| wide | 21 | 25.0% | 65.0% | 60.0% | -15.0% | 120k |');
    expect(page).toContain('| wide | fixed | Acc@Refine | 1 | -25.0% |');
    expect(page).not.toMatch(/reached|ends at target/i);
  });

  it('explains every column', () => {
    for (const { title, meaning } of Object.values(columns)) {
      expect(title).not.toBe('');
      expect(meaning).toMatch(/^[A-Z].*\.$/);
    }
  });
});
