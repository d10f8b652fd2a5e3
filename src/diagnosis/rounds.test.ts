import { describe, expect, it } from 'vitest';
import type { MetricRow } from '../runs/metrics.ts';
import type { Evidence, EvidenceRow, Facts } from './evidence.ts';
import { whyKept, whyRoundEntropy, whyRoundLoss, whyRoundSuccess } from './rounds.ts';
import { tell } from './story.ts';

const rowsOf = (length: number, metrics: (i: number) => MetricRow): readonly EvidenceRow[] =>
  Array.from({ length }, (_, i) => ({ iteration: i + 1, metrics: metrics(i) }));
const evidence = (rows: readonly EvidenceRow[], facts: Facts = {}): Evidence => ({
  rows,
  evaluations: rows.filter(({ metrics }) => metrics['eval/success_rate'] !== undefined),
  facts,
});

describe('the story', () => {
  it('says up only where success has risen', () => {
    const detail = (first: number) =>
      tell(evidence(rowsOf(12, (i) => ({ 'rollout/success_rate': i === 0 ? first : 0.3 }))), false)
        ?.detail;
    expect(detail(0.1)).toMatch(/^30% of the episodes solve their task, up from 10%\./);
    expect(detail(0.35)).toMatch(/^30% of the episodes solve their task; at first it was 35%\./);
    expect(detail(0.3)).toMatch(/^30% of the episodes solve their task\./);
  });
});

describe('rounds of exploration explained', () => {
  it('says nothing before there is a round', () => {
    for (const rule of [whyKept, whyRoundEntropy, whyRoundLoss, whyRoundSuccess]) {
      expect(rule(evidence([]))).toBeNull();
    }
  });

  it('holds the agent against what imitation alone had come to', () => {
    const after = (success: number) =>
      whyRoundSuccess(
        evidence(
          rowsOf(1, () => ({ 'imitation/success_rate': 0.4, 'eval/success_rate': success })),
        ),
      );
    expect(after(0.6)).toMatch(/has come from 40% after imitation alone to 60%/);
    expect(after(0.3)).toMatch(/has gone from 40% .* to 30%/);
    expect(after(0.41)).toMatch(/stands at 41%/);
    expect(whyRoundSuccess(evidence(rowsOf(1, () => ({}))))).toMatch(/explored by the agent/);
  });

  it('says what share is kept, and whether it becomes more', () => {
    const kept = (share: (i: number) => number) =>
      whyKept(
        evidence(
          rowsOf(12, (i) => ({
            'evolution/explored': 200,
            'evolution/kept': 200 * share(i),
            'evolution/kept_share': share(i),
          })),
        ),
      );
    expect(kept(() => 0)).toMatch(/Nothing of this round/);
    expect(kept(() => 0.5)).toBe(
      '50% of what this round tried is kept; the rest earned nothing that counts.',
    );
    expect(kept((i) => 0.05 + 0.05 * i)).toMatch(/^60% .* becomes more/);
    expect(kept((i) => 0.6 - 0.05 * i)).toMatch(/^5% .* becomes less/);
  });

  it('says what a round began with, and when it learned nothing', () => {
    const loss = (metrics: MetricRow, facts: Facts = {}) =>
      whyRoundLoss(
        evidence(
          rowsOf(1, () => metrics),
          facts,
        ),
      );
    expect(loss({ 'evolution/loss': 1 }, { evolution: { start: 'base' } })).toMatch(/begins anew/);
    expect(loss({ 'evolution/loss': 1 })).not.toMatch(/begins anew/);
    expect(loss({ 'evolution/kept': 0 })).toMatch(/stayed as it was/);
    expect(loss({ 'evolution/kept': 3 })).toMatch(/only explored/);
  });

  it('puts entropy in words', () => {
    const steady = rowsOf(12, () => ({ 'policy/entropy': Math.log(8) }));
    expect(whyRoundEntropy(evidence(steady))).toMatch(/some 8 words/);
    const fall = rowsOf(12, (i) => ({ 'policy/entropy': 3 - 0.1 * i }));
    expect(whyRoundEntropy(evidence(fall))).toMatch(/falls/);
    const rise = rowsOf(12, (i) => ({ 'policy/entropy': 1 + 0.1 * i }));
    expect(whyRoundEntropy(evidence(rise))).toMatch(/rises/);
  });
});
