import { describe, expect, it } from 'vitest';
import type { UpdateDetail } from '../runs/details.ts';
import type { MetricRow } from '../runs/metrics.ts';
import { whyClip, whyKl, whySuccess } from './curves.ts';
import { asOf, diagnose } from './diagnose.ts';
import type { Evidence, Facts } from './evidence.ts';
import { MOST_FINDINGS } from './finding.ts';
import { tell } from './story.ts';

const run = (length: number, of: (i: number) => MetricRow): Evidence => ({
  rows: Array.from({ length }, (_, i) => ({ iteration: i + 1, metrics: of(i) })),
  evaluations: [],
  facts: {},
});

/** Success of an agent that learns, and loses part of it in iteration 31. */
const fallen = run(60, (i) => ({
  'rollout/success_rate': (i < 20 ? i / 20 : i < 30 ? 1 : 0.6) + 0.004 * (i % 3),
  'policy/approx_kl': i === 29 ? 0.4 : 0.01,
}));

describe('a setback', () => {
  it('has an onset, is reported with the preceding updates, and persists', () => {
    expect(diagnose(asOf(fallen, 30)).findings).toEqual([]);
    const [found] = diagnose(asOf(fallen, 33)).findings;
    expect(found).toMatchObject({ mode: 'setback', onset: 31, known: 32 });
    expect(found?.text).toMatch(/100% to \d\d% in iteration 31.*0\.4 nats/);
    expect(diagnose(fallen).findings[0]).toMatchObject({ onset: 31, known: 32 });
  });

  it('ends once success is back', () => {
    const back = run(80, (i) => ({
      ...fallen.rows[Math.min(i, 59)]?.metrics,
      ...(i >= 60 ? { 'rollout/success_rate': 1 } : {}),
    }));
    expect(diagnose(back).findings).toEqual([]);
    expect(diagnose(asOf(back, 60)).findings).toHaveLength(1);
  });
});

describe('mismatch between sampler and trainer', () => {
  /** From the fourth iteration on, a tenth of the tokens is clipped at each bound before any step. */
  const noisy = run(8, () => ({ 'policy/approx_kl': 0.1, 'policy/clip_fraction': 0.2 }));
  const first = (held: number) =>
    ({ clippedLow: held, clippedHigh: held, skipped: false }) as UpdateDetail;
  const later = { clippedLow: 0.3, clippedHigh: 0.3, skipped: false } as UpdateDetail;
  const rows = noisy.rows.map((row) => ({
    ...row,
    details: { updates: [first(row.iteration < 4 ? 0 : 0.1), later] },
  }));

  it('is found if the details of the first update show clipped tokens', () => {
    expect(diagnose({ ...noisy, rows }).findings).toEqual([
      expect.objectContaining({ mode: 'sampler_mismatch', onset: 4, known: 5 }),
    ]);
    expect(diagnose({ ...noisy, rows: rows.slice(0, 4) }).findings).toEqual([]);
  });

  it('is not found for replayed tokens, or without details', () => {
    const replay = { ...noisy, rows, facts: { replay: { share: 0.5 } } };
    expect(diagnose(replay).findings).toEqual([]);
    expect(diagnose(noisy).notComputable).toContainEqual({
      mode: 'sampler_mismatch',
      log: ['policy/sampler_gap'],
    });
  });

  it.each([
    ['policy/sampler_gap', 0.004, 0.03, /differ by 0\.03 per token on average; up to 0\.01/],
    ['policy/sampler_kl', 0.02, -0.4, /KL .* is -0\.4 nats .*; up to 0\.1/],
  ] as const)('is found from %s alone', (key, usual, much, words) => {
    const logged = (from: number) => run(8, (i) => ({ [key]: i + 1 < from ? usual : much }));
    expect(diagnose(logged(4)).findings).toEqual([
      expect.objectContaining({
        ...{ mode: 'sampler_mismatch', onset: 4, known: 5, text: expect.stringMatching(words) },
        evidence: [{ metric: key, iterations: [4, 5], values: [much, much] }],
      }),
    ]);
    expect(diagnose(logged(9)).findings).toEqual([]);
    const named = diagnose(logged(9)).notComputable.map(({ mode }) => mode);
    expect(named).not.toContain('sampler_mismatch');
  });

  it.each([
    ['none', 'proximal', /ignore it/, ['algorithm.importance_weight', 'sampler.precision']],
    ['token', 'proximal', /weights correct for it/, ['sampler.precision']],
    ['none', 'behaviour', /Ratios correct for it/, ['sampler.precision']],
  ] as const)(
    'says what weights of %s relative to %s do, and offers what the run lacks',
    (importance_weight, ratio_to, words, remedies) => {
      const { rows } = run(8, () => ({ 'policy/sampler_kl': 0.5 }));
      const facts = {
        sampler: { precision: 'int4', lag: 0 },
        algorithm: { ratio_to, importance_weight },
      } as const;
      const [finding] = diagnose({ rows, evaluations: [], facts }).findings;
      expect(finding?.text).toMatch(words);
      expect(finding?.remedies.map(({ setting }) => setting)).toEqual(remedies);
    },
  );

  it('is a single finding if several metrics show it, with the earliest onset', () => {
    const both = run(8, (i) => ({
      'policy/sampler_gap': i < 4 ? 0.001 : 0.05,
      'policy/sampler_kl': i < 2 ? 0.001 : 0.5,
    }));
    expect(diagnose(both).findings).toEqual([
      expect.objectContaining({ mode: 'sampler_mismatch', onset: 3 }),
    ]);
  });
});

describe('a fault of a remote server', () => {
  const faulty = (...at: readonly number[]) => ({
    ...run(60, (i) => ({
      ...fallen.rows[i]?.metrics,
      'rollout/turns': 5,
      'policy/entropy': 1,
      'rollout/faults': Number(at.includes(i + 1)),
    })),
  });

  it('is reported in its iteration and shortly after it, and then leaves no trace', () => {
    expect(diagnose(asOf(faulty(1), 1)).findings).toEqual([
      expect.objectContaining({
        ...{ mode: 'environment_faults', onset: 1, interval: [1, 1], known: 1 },
        text: expect.stringContaining('failed: 1 fault.'),
      }),
    ]);
    const { findings, past } = diagnose(asOf(faulty(4), 8));
    expect(findings).toEqual([]);
    expect(past).toEqual([]);
  });

  it('explains no other finding', () => {
    expect(diagnose(faulty(4, 30)).findings.map(({ mode }) => mode)).toEqual(['setback']);
  });
});

describe('a run that does not improve', () => {
  const modesOf = (metrics: MetricRow, facts: Facts) =>
    diagnose({ ...run(12, () => metrics), facts }).findings.map(({ mode }) => mode);
  const still = {
    'policy/approx_kl': 0,
    'policy/entropy': 2,
    'policy/grad_norm': 0.5,
    'rollout/success_rate': 0.1,
    'policy/staleness': 0,
  };

  it('hardly moves only if its KL is measured after the first update', () => {
    const updates = (mini_batches: number): Facts => ({ algorithm: { epochs: 1, mini_batches } });
    expect(modesOf(still, updates(1))).toEqual([]);
    expect(modesOf(still, updates(4))).toEqual(['nothing_moves']);
    expect(whyKl({ ...run(12, () => still), facts: updates(1) })).toMatch(/^Measured before/);
  });

  it('has groups without advantages only if nothing else in the reward differs', () => {
    const agreed = { 'rollout/group_zero_std': 1, 'rollout/success_rate': 0 };
    const grouped = (more: Facts['algorithm']): Facts => ({
      algorithm: { advantage: 'grpo', ...more },
    });
    expect(modesOf(agreed, grouped({}))).toEqual(['groups_agree']);
    expect(modesOf(agreed, grouped({ overlong_share: 0.2 }))).toEqual([]);
    expect(modesOf(agreed, grouped({ kl_coef: 0.1, kl_placement: 'reward' }))).toEqual([]);
    expect(modesOf(agreed, grouped({ kl_coef: 0.1, kl_placement: 'loss' }))).toEqual([
      'groups_agree',
    ]);
    const [found] = diagnose({ ...run(12, () => agreed), facts: grouped({}) }).findings;
    expect(found?.text).toMatch(/No episode succeeds\.$/);
  });

  it('compares penalty and bonus with the loss only if the loss is a mean over tokens', () => {
    const metrics = {
      ...{ 'policy/entropy': 2, 'policy/loss': -0.2, 'policy/ref_kl': 0.02 },
      'rollout/success_rate': 0.1,
    };
    const weighted = (loss_aggregation: 'token_mean' | 'seq_mean_token_sum_norm'): Facts => ({
      algorithm: { entropy_coef: 0.1, kl_coef: 10, loss_aggregation },
    });
    expect(modesOf(metrics, weighted('token_mean'))).toContain('reference_too_tight');
    expect(modesOf(metrics, weighted('seq_mean_token_sum_norm'))).toEqual([]);
  });

  it('has lost its entropy even if its first iterations finished no episode', () => {
    const partial = run(30, (i) => ({
      'policy/entropy': i < 2 ? Number.NaN : i < 5 ? 3 : 0.01,
      'rollout/success_rate': 0.3,
    }));
    expect(diagnose(partial).findings.map(({ mode }) => mode)).toEqual(['entropy_collapse']);
  });
});

describe('a remedy', () => {
  const collapsed = (algorithm: Facts['algorithm']) =>
    diagnose({
      ...run(30, (i) => ({
        'policy/entropy': i < 5 ? 3 : 0.01,
        'rollout/success_rate': 0.3,
      })),
      facts: { algorithm: algorithm ?? {} },
    }).findings[0]?.remedies.map(({ setting, value }) => [setting, value]);
  const rate = ['optimizer.learning_rate', undefined];

  it('raises the upper clip bound only if it is in force and lower', () => {
    const bonus = ['algorithm.entropy_coef', 0.01];
    expect(collapsed({ clip_high: 1.2 })).toEqual([['algorithm.clip_high', 1.28], rate, bonus]);
    expect(collapsed({ clip_high: 1.5 })).toEqual([rate, bonus]);
    expect(collapsed({ objective: 'kl_cov' })).toEqual([rate, bonus]);
    expect(collapsed({ objective: 'bapo' })).toEqual([['bapo.high_max', undefined], rate, bonus]);
  });

  it('adds an entropy bonus only to a run with a smaller one', () => {
    expect(collapsed({ objective: 'kl_cov', entropy_coef: 0.02 })).toEqual([rate]);
  });
});

describe('diagnosis of a run', () => {
  it('is the same in the headline and beside the charts, including for past iterations', () => {
    const [found] = diagnose(fallen).findings;
    expect(tell(fallen, false)?.headline).toBe(found?.title);
    expect(tell(fallen, true)?.detail).toContain(found?.text);
    expect(whySuccess(fallen)).toBe(found?.beside['rollout/success_rate']);
    expect(whySuccess(asOf(fallen, 15))).toMatch(/^It rises/);
    expect(tell(asOf(fallen, 28), false)?.headline).toBe('Solved: 100% of its episodes succeed.');
  });

  it('never calls updates small if no bound limits them', () => {
    const wild = run(4, () => ({
      'policy/approx_kl': 0.5,
      'policy/clip_fraction': 0,
      'policy/clip_fraction_low': 0,
      'policy/clip_fraction_high': 0,
      'policy/clip_low': 0,
      'policy/clip_high': 10,
    }));
    expect(whyClip(wild)).toMatch(/^The clip bounds limit nothing/);
    expect(whyKl(wild)).toMatch(/0\.5 nats/);
  });

  it('has at most three findings for any metrics', () => {
    const broken = run(30, (i) => ({
      'policy/skipped_updates': 2,
      'policy/approx_kl': 1,
      'policy/clip_fraction': 0.6,
      'value/explained_variance': 0,
      'policy/entropy': 3 / (i + 1),
      'rollout/success_rate': 0.3,
      'rollout/truncated': 0.7,
      'rollout/turns': 9.5,
      'rollout/horizon': 10,
    }));
    const { findings } = diagnose(broken);
    expect(findings[0]?.mode).toBe('not_finite');
    expect(findings.length).toBeLessThanOrEqual(MOST_FINDINGS);
    for (const { confidence, interval, onset, known } of findings) {
      expect(confidence).toBeGreaterThan(0);
      expect(confidence).toBeLessThanOrEqual(1);
      expect(interval[0]).toBeLessThanOrEqual(onset);
      expect(onset).toBeLessThanOrEqual(known);
    }
  });
});
