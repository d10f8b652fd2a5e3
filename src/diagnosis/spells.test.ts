import { describe, expect, it } from 'vitest';
import type { UpdateDetail } from '../runs/details.ts';
import type { MetricRow } from '../runs/metrics.ts';
import { whyClip, whyKl, whySuccess } from './curves.ts';
import { asOf, diagnose } from './diagnose.ts';
import type { Evidence } from './evidence.ts';
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
