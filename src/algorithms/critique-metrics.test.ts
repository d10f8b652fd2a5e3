import { describe, expect, it } from 'vitest';
import { type CritiquedAnswer, critiqueMetrics } from './critique-metrics.ts';

const answer = (right: boolean, verdict: boolean | null, refined: boolean): CritiquedAnswer => ({
  right,
  verdict,
  refined,
});

describe('critique metrics', () => {
  it('matches hand-computed counts', () => {
    // Of eight answers five are correct: three stay correct, one of them called wrong; two become
    // wrong. Of the three wrong ones, one is corrected, although its critique is malformed.
    const numbers = critiqueMetrics([
      answer(true, true, true),
      answer(true, true, true),
      answer(true, false, true),
      answer(true, false, false),
      answer(true, null, false),
      answer(false, false, false),
      answer(false, true, false),
      answer(false, null, true),
    ]);
    expect(numbers).toEqual({
      accuracy: 5 / 8,
      refinedAccuracy: 4 / 8,
      delta: -1 / 8,
      correctToIncorrect: 2 / 8,
      correctToIncorrectOfRight: 2 / 5,
      incorrectToCorrect: 1 / 8,
      helpfulness: 1 / 3,
      // Correct verdicts: two on correct answers, one on a wrong one; malformed ones do not count.
      discrimination: 3 / 8,
      discriminationRight: 2 / 5,
      discriminationWrong: 1 / 3,
      malformed: 2 / 8,
    });
    expect(numbers.incorrectToCorrect - numbers.correctToIncorrect).toBe(numbers.delta);
  });

  it('gives null for shares with a denominator of 0', () => {
    expect(critiqueMetrics([answer(true, null, true)])).toMatchObject({
      correctToIncorrectOfRight: 0,
      helpfulness: null,
      discriminationRight: 0,
      discriminationWrong: null,
      malformed: 1,
    });
    expect(critiqueMetrics([answer(false, false, true)])).toMatchObject({
      correctToIncorrectOfRight: null,
      helpfulness: 1,
      discriminationRight: null,
      discriminationWrong: 1,
    });
    expect(() => critiqueMetrics([])).toThrow(RangeError);
  });

  it('gives an Acc@Dis equal to the share of correct answers if every verdict is “correct”', () => {
    const answers = [true, true, true, false].map((right) => answer(right, true, right));
    expect(critiqueMetrics(answers)).toMatchObject({
      discrimination: 3 / 4,
      discriminationRight: 1,
      discriminationWrong: 0,
      delta: 0,
    });
  });
});
