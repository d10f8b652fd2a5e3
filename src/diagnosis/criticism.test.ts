import { describe, expect, it } from 'vitest';
import type { MetricRow } from '../runs/metrics.ts';
import { whyDiscrimination, whyFlips, whyRefined } from './criticism.ts';
import type { Evidence } from './evidence.ts';

const evidence = (...evaluations: MetricRow[]): Evidence => ({
  rows: [],
  evaluations: evaluations.map((metrics, i) => ({ iteration: i + 1, metrics })),
  facts: {},
});

describe('what is said of an actor and its critic', () => {
  it('says what listening is worth', () => {
    const at = (refined: number) => ({
      'critique/accuracy': 0.57,
      'critique/refined_accuracy': refined,
    });
    expect(whyRefined(evidence())).toBeNull();
    expect(whyRefined(evidence(at(0.58)))).toMatch(/57%.*58%.*next to nothing/);
    expect(whyRefined(evidence(at(0.58), at(0.67)))).toMatch(/67%.*advice that has become better/);
    expect(whyRefined(evidence(at(0.67), at(0.66)))).toMatch(/not raised it so far/);
    expect(whyRefined(evidence(at(0.58), at(0.4)))).toMatch(/costs more than it mends/);
  });

  it('tells a critic that suspects more from one that sees more', () => {
    const at = (right: number, wrong: number) => ({
      'critique/discrimination_right': right,
      'critique/discrimination_wrong': wrong,
    });
    expect(whyDiscrimination(evidence())).toBeNull();
    expect(whyDiscrimination(evidence(at(0.9, 0.3), at(0.6, 0.8)))).toMatch(
      /sees 80%.*calls 40% of the right ones wrong.*aggressive/,
    );
    expect(whyDiscrimination(evidence(at(0.6, 0.8), at(0.9, 0.3)))).toMatch(/conservative/);
    expect(whyDiscrimination(evidence(at(0.9, 0.3), at(0.9, 0.7)))).toMatch(
      /learned to see errors/,
    );
    expect(whyDiscrimination(evidence(at(0.9, 0.3)))).toMatch(/One verdict for all/);
    expect(whyDiscrimination(evidence({ 'critique/discrimination_wrong': 0.4 }))).toMatch(
      /All answers were wrong, and it called 40%/,
    );
  });

  it('counts what was mended and what was spoilt', () => {
    const flips = { 'critique/incorrect_to_correct': 0.12, 'critique/correct_to_incorrect': 0.03 };
    expect(whyFlips(evidence())).toBeNull();
    expect(whyFlips(evidence(flips))).toMatch(/12% are mended and 3% spoilt/);
  });
});
