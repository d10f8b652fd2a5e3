/** Why the numbers of an actor that learns from its own right answers are what they are. */

import { levelNumbers } from '../runs/levels.ts';
import type { MetricKey } from '../runs/metrics.ts';
import { percent } from '../runs/numbers.ts';
import type { Evidence, Rule } from './evidence.ts';

/** Shares that moved by less say nothing. */
const APART = 0.02;

/** A number of the first round that has it, and of the last. */
function overTheRounds({ rows }: Evidence, key: MetricKey) {
  const values = rows.flatMap(({ metrics }) => metrics[key] ?? []);
  const [first, last] = [values[0], values.at(-1)];
  return first === undefined || last === undefined ? null : { first, last };
}

export const whyImproved: Rule = (evidence) => {
  const alone = evidence.evaluations.at(-1)?.metrics['critique/accuracy'];
  const helped = evidence.evaluations.at(-1)?.metrics['critique/refined_accuracy'];
  if (alone === undefined || helped === undefined) return null;
  const stands = `The actor is right in ${percent(alone)} of its answers by itself, and in ${percent(helped)} with the critic.`;
  return helped - alone > APART
    ? `${stands} There is still something that only the critic knows.`
    : `${stands} What the critic knew, the actor has learned, or the critic has nothing to add.`;
};

export const whyLearned: Rule = (evidence) => {
  const all = overTheRounds(evidence, 'self_improvement/learned');
  const mended = overTheRounds(evidence, 'self_improvement/refined');
  if (all === null || mended === null) return null;
  if (all.last === 0) return 'The last round found no right answer to learn from.';
  const share = mended.last / all.last;
  return share === 0
    ? `The last round learned ${all.last} right answers, all found without a critic.`
    : `The last round learned ${all.last} right answers, ${percent(share)} of which were wrong before the critic was heard.`;
};

export const whyLevels: Rule = (evidence) => {
  const hardest = levelNumbers.findLast(
    (level) => overTheRounds(evidence, `self_improvement/share_level_${level}`) !== null,
  );
  if (hardest === undefined) {
    return overTheRounds(evidence, 'self_improvement/learned')?.last === 0
      ? 'No answer has been right so far, so there are no shares.'
      : null;
  }
  const share = overTheRounds(evidence, `self_improvement/share_level_${hardest}`);
  if (share === null) return null;
  const stands = `Of what the last round learned ${percent(share.last)} is of the hardest level.`;
  const change = share.last - share.first;
  if (change < -APART)
    return `${stands} It was ${percent(share.first)} in the first: the tail narrows.`;
  if (change > APART)
    return `${stands} It was ${percent(share.first)} in the first: the hard ones are being learned.`;
  return `${stands} That has not moved since the first round.`;
};
