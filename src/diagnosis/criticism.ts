/** Explains the numbers of an actor and its critic (Critique-RL). */

import type { MetricKey } from '../runs/metrics.ts';
import { percent } from '../runs/numbers.ts';
import type { Evidence, Rule } from './evidence.ts';

/** Smaller changes of a share are ignored. */
const APART = 0.02;

/** A metric in the newest evaluation and in the first. */
function sinceTheFirst({ evaluations }: Evidence, key: MetricKey) {
  const now = evaluations.at(-1)?.metrics[key];
  const first = evaluations[0]?.metrics[key];
  return now === undefined || first === undefined ? null : { now, change: now - first };
}

export const whyRefined: Rule = (evidence) => {
  const accuracy = sinceTheFirst(evidence, 'critique/accuracy');
  const refined = sinceTheFirst(evidence, 'critique/refined_accuracy');
  if (accuracy === null || refined === null) return null;
  const gain = refined.now - accuracy.now;
  const stands = `${percent(accuracy.now)} of the actor’s answers are correct, and ${percent(refined.now)} after the critique.`;
  if (gain < -APART) {
    return `${stands} The critic does more harm than good: it rejects correct answers, which are then revised.`;
  }
  if (gain <= APART) {
    const changed =
      (sinceTheFirst(evidence, 'critique/incorrect_to_correct')?.now ?? 0) +
      (sinceTheFirst(evidence, 'critique/correct_to_incorrect')?.now ?? 0);
    return changed > 2 * APART
      ? `${stands} The critique breaks about as many answers as it corrects.`
      : `${stands} So far the critique changes almost nothing.`;
  }
  return refined.change > APART
    ? `${stands} The actor is frozen, so the critiques have improved.`
    : `${stands} Training the critic has not improved this so far.`;
};

export const whyDiscrimination: Rule = (evidence) => {
  const right = sinceTheFirst(evidence, 'critique/discrimination_right');
  const wrong = sinceTheFirst(evidence, 'critique/discrimination_wrong');
  if (right === null && wrong === null) return null;
  if (right === null || wrong === null) {
    return `All answers were ${right === null ? 'wrong' : 'correct'}, and the critic judged ${percent((right ?? wrong)?.now ?? 0)} of them correctly.`;
  }
  const stands = `The critic detects ${percent(wrong.now)} of the wrong answers and rejects ${percent(1 - right.now)} of the correct ones.`;
  if (wrong.change > APART && right.change < -APART) {
    return `${stands} It has become stricter: it rejects more of both.`;
  }
  if (wrong.change < -APART && right.change > APART) {
    return `${stands} It has become more lenient: it accepts more of both.`;
  }
  if (wrong.change > APART)
    return `${stands} It detects more errors without rejecting more correct answers.`;
  return `${stands} A critic that always gives the same verdict scores 100% on one kind and 0% on the other.`;
};

export const whyFlips: Rule = (evidence) => {
  const mended = sinceTheFirst(evidence, 'critique/incorrect_to_correct');
  const spoilt = sinceTheFirst(evidence, 'critique/correct_to_incorrect');
  if (mended === null || spoilt === null) return null;
  return `The critique corrects ${percent(mended.now)} of all answers and breaks ${percent(spoilt.now)}; the difference is its benefit.`;
};
