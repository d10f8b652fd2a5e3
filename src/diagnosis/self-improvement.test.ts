import { describe, expect, it } from 'vitest';
import type { MetricRow } from '../runs/metrics.ts';
import type { Evidence } from './evidence.ts';
import { whyImproved, whyLearned, whyLevels } from './self-improvement.ts';

const rounds = (...rows: MetricRow[]): Evidence => ({
  rows: rows.map((metrics, i) => ({ iteration: i + 1, metrics })),
  evaluations: [],
  facts: {},
});
const learned = (all: number, mended: number): MetricRow => ({
  'self_improvement/learned': all,
  'self_improvement/refined': mended,
});

describe('explanation of self-improvement', () => {
  it('states how many answers were corrected after a critique', () => {
    expect(whyLearned(rounds())).toBeNull();
    expect(whyLearned(rounds(learned(0, 0)))).toMatch(/no correct answer/);
    expect(whyLearned(rounds(learned(40, 0)))).toMatch(/40 correct answers, all found without/);
    expect(whyLearned(rounds(learned(40, 0), learned(50, 10)))).toMatch(/50.*20% of which/);
  });

  it('states whether the critic helps, and whether it ever did', () => {
    const evaluated = (...shares: (readonly [number, number])[]) =>
      whyImproved({
        ...rounds(),
        evaluations: shares.map(([alone, helped], i) => ({
          iteration: i + 1,
          metrics: { 'critique/accuracy': alone, 'critique/refined_accuracy': helped },
        })),
      });
    expect(evaluated()).toBeNull();
    expect(evaluated([0.2, 0.3], [0.5, 0.6])).toBe(
      '50% of the actor’s own answers are correct, and 60% with the critic. The critic helps.',
    );
    expect(evaluated([0.2, 0.3], [0.9, 0.9])).toMatch(/The critic no longer helps\.$/);
    expect(evaluated([0, 0], [0, 0])).toMatch(/The critic has not helped so far\.$/);
  });

  it('states whether the share of the hardest tasks falls, rises or is unchanged', () => {
    const share = (two: number): MetricRow => ({
      ...learned(10, 0),
      'self_improvement/share_level_1': 1 - two,
      'self_improvement/share_level_2': two,
    });
    expect(whyLevels(rounds())).toBeNull();
    expect(whyLevels(rounds(learned(0, 0)))).toMatch(/shares cannot be computed/);
    expect(whyLevels(rounds(share(0.3), share(0.1)))).toMatch(/10%.*30%.*has fallen since/);
    expect(whyLevels(rounds(share(0.1), share(0.3)))).toMatch(/has risen since/);
    expect(whyLevels(rounds(share(0.3), share(0.31)))).toMatch(/has hardly changed/);
    expect(whyLevels(rounds(share(0.3)))).toMatch(/at the hardest level\.$/);
  });
});
