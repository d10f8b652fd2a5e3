import { describe, expect, it } from 'vitest';
import type { MetricRow } from '../runs/metrics.ts';
import { whyDiscrimination, whyFlips, whyRefined } from './criticism.ts';
import type { Evidence } from './evidence.ts';

const evidence = (...evaluations: MetricRow[]): Evidence => ({
  rows: [],
  evaluations: evaluations.map((metrics, i) => ({ iteration: i + 1, metrics })),
  facts: {},
});

describe('explanation of an actor and its critic', () => {
  it('states whether following the critic helps', () => {
    const at = (refined: number) => ({
      'critique/accuracy': 0.57,
      'critique/refined_accuracy': refined,
    });
    expect(whyRefined(evidence())).toBeNull();
    expect(whyRefined(evidence(at(0.58)))).toMatch(/57%.*58%.*changes almost nothing/);
    const flips = { 'critique/incorrect_to_correct': 0.12, 'critique/correct_to_incorrect': 0.12 };
    expect(whyRefined(evidence({ ...at(0.57), ...flips }))).toMatch(
      /breaks about as many answers as it corrects/,
    );
    expect(whyRefined(evidence(at(0.58), at(0.67)))).toMatch(/67%.*the critiques have improved/);
    expect(whyRefined(evidence(at(0.67), at(0.66)))).toMatch(/not improved this so far/);
    expect(whyRefined(evidence(at(0.58), at(0.4)))).toMatch(/does more harm than good/);
  });

  it('distinguishes a stricter critic from a more accurate one', () => {
    const at = (right: number, wrong: number) => ({
      'critique/discrimination_right': right,
      'critique/discrimination_wrong': wrong,
    });
    expect(whyDiscrimination(evidence())).toBeNull();
    expect(whyDiscrimination(evidence(at(0.9, 0.3), at(0.6, 0.8)))).toMatch(
      /detects 80%.*rejects 40% of the correct ones.*stricter/,
    );
    expect(whyDiscrimination(evidence(at(0.6, 0.8), at(0.9, 0.3)))).toMatch(/more lenient/);
    expect(whyDiscrimination(evidence(at(0.9, 0.3), at(0.9, 0.7)))).toMatch(
      /detects more errors without rejecting more/,
    );
    expect(whyDiscrimination(evidence(at(0.9, 0.3)))).toMatch(/always gives the same verdict/);
    expect(whyDiscrimination(evidence({ 'critique/discrimination_wrong': 0.4 }))).toMatch(
      /All answers were wrong, and the critic judged 40%/,
    );
  });

  it('counts corrected and broken answers', () => {
    const flips = { 'critique/incorrect_to_correct': 0.12, 'critique/correct_to_incorrect': 0.03 };
    expect(whyFlips(evidence())).toBeNull();
    expect(whyFlips(evidence(flips))).toMatch(/corrects 12% of all answers and breaks 3%/);
  });
});
