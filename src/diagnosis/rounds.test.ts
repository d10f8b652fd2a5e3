import { describe, expect, it } from 'vitest';
import type { MetricRow } from '../runs/metrics.ts';
import type { Evidence, EvidenceRow, Facts } from './evidence.ts';
import { whyKept, whyRoundEntropy, whyRoundLoss, whyRoundSuccess } from './rounds.ts';

const rowsOf = (length: number, metrics: (i: number) => MetricRow): readonly EvidenceRow[] =>
  Array.from({ length }, (_, i) => ({ iteration: i + 1, metrics: metrics(i) }));
const evidence = (rows: readonly EvidenceRow[], facts: Facts = {}): Evidence => ({
  rows,
  evaluations: rows.filter(({ metrics }) => metrics['eval/success_rate'] !== undefined),
  facts,
});

describe('explanation of a round', () => {
  it('says nothing before the first round', () => {
    for (const rule of [whyKept, whyRoundEntropy, whyRoundLoss, whyRoundSuccess]) {
      expect(rule(evidence([]))).toBeNull();
    }
  });

  it('compares the agent with imitation alone', () => {
    const after = (success: number) =>
      whyRoundSuccess(
        evidence(
          rowsOf(1, () => ({ 'imitation/success_rate': 0.4, 'eval/success_rate': success })),
        ),
      );
    expect(after(0.6)).toMatch(/went from 40% after imitation alone to 60%/);
    expect(after(0.3)).toMatch(/went from 40% .* to 30%/);
    expect(after(0.41)).toMatch(/is 41%, the level of imitation/);
    expect(whyRoundSuccess(evidence(rowsOf(1, () => ({}))))).toMatch(/explores with the agent/);
  });

  it('states what share of the episodes is kept, and whether the share rises or falls', () => {
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
    expect(kept(() => 0)).toMatch(/kept no episode/);
    expect(kept(() => 0.5)).toBe(
      'This round keeps 50% of its episodes; the others were not rewarded.',
    );
    expect(kept((i) => 0.05 + 0.05 * i)).toMatch(/ 60% .* the share rises/);
    expect(kept((i) => 0.6 - 0.05 * i)).toMatch(/ 5% .* the share falls/);
  });

  it('states if a round started from the weights before imitation, and if it learned nothing', () => {
    const loss = (metrics: MetricRow, facts: Facts = {}) =>
      whyRoundLoss(
        evidence(
          rowsOf(1, () => metrics),
          facts,
        ),
      );
    expect(loss({ 'evolution/loss': 1 }, { evolution: { start: 'base' } })).toMatch(
      /starts from the weights before imitation/,
    );
    expect(loss({ 'evolution/loss': 1 })).not.toMatch(/starts from the weights before imitation/);
    expect(loss({ 'evolution/kept': 0 })).toMatch(/did not change/);
    expect(loss({ 'evolution/kept': 3 })).toMatch(/only explored/);
  });

  it('expresses entropy as a number of tokens', () => {
    const steady = rowsOf(12, () => ({ 'policy/entropy': Math.log(8) }));
    expect(whyRoundEntropy(evidence(steady))).toMatch(/about 8 tokens/);
    const fall = rowsOf(12, (i) => ({ 'policy/entropy': 3 - 0.1 * i }));
    expect(whyRoundEntropy(evidence(fall))).toMatch(/falls/);
    const rise = rowsOf(12, (i) => ({ 'policy/entropy': 1 + 0.1 * i }));
    expect(whyRoundEntropy(evidence(rise))).toMatch(/rises/);
  });
});
