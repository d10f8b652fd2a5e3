/** Why the numbers of an actor and its critic are what they are (Critique-RL). */

import type { MetricKey } from '../runs/metrics.ts';
import { percent } from '../runs/numbers.ts';
import type { Evidence, Rule } from './evidence.ts';

/** Shares that moved by less say nothing. */
const APART = 0.02;

/** A number of the newest evaluation, and of the first. */
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
  const stands = `Of the actor’s answers ${percent(accuracy.now)} are right, and ${percent(refined.now)} once the critic has been heard.`;
  if (gain < -APART) {
    return `${stands} Listening costs more than it mends: right answers are called wrong, and redone.`;
  }
  if (gain <= APART) return `${stands} What the critic says changes next to nothing yet.`;
  return refined.change > APART
    ? `${stands} The actor is the same as ever: it is the advice that has become better.`
    : `${stands} The critic’s reward has not raised it so far.`;
};

export const whyDiscrimination: Rule = (evidence) => {
  const right = sinceTheFirst(evidence, 'critique/discrimination_right');
  const wrong = sinceTheFirst(evidence, 'critique/discrimination_wrong');
  if (right === null && wrong === null) return null;
  if (right === null || wrong === null) {
    return `All answers were ${right === null ? 'wrong' : 'right'}, and it called ${percent((right ?? wrong)?.now ?? 0)} of them so.`;
  }
  const stands = `It sees ${percent(wrong.now)} of the wrong answers, and calls ${percent(1 - right.now)} of the right ones wrong.`;
  if (wrong.change > APART && right.change < -APART) {
    return `${stands} It has become more aggressive: it calls more of both kinds wrong.`;
  }
  if (wrong.change < -APART && right.change > APART) {
    return `${stands} It has become more conservative: it calls more of both kinds right.`;
  }
  if (wrong.change > APART) return `${stands} It has learned to see errors, not to suspect all.`;
  return `${stands} One verdict for all answers would know one kind and miss the other.`;
};

export const whyFlips: Rule = (evidence) => {
  const mended = sinceTheFirst(evidence, 'critique/incorrect_to_correct');
  const spoilt = sinceTheFirst(evidence, 'critique/correct_to_incorrect');
  if (mended === null || spoilt === null) return null;
  return `Of all answers ${percent(mended.now)} are mended and ${percent(spoilt.now)} spoilt; the one less the other is what the critic is worth.`;
};
