/** Explains the numbers of an actor that trains on its own correct answers. */

import { levelNumbers } from '../runs/levels.ts';
import type { MetricKey } from '../runs/metrics.ts';
import { percent, several } from '../runs/numbers.ts';
import type { Evidence, Rule } from './evidence.ts';

/** Smaller changes of a share are ignored. */
const APART = 0.02;

/** The first and the last value of a metric over the rounds that have it, and their number. */
function roundMetrics({ rows }: Evidence, key: MetricKey) {
  const values = rows.flatMap(({ metrics }) => metrics[key] ?? []);
  const [first, last] = [values[0], values.at(-1)];
  return first === undefined || last === undefined ? null : { first, last, rounds: values.length };
}

export const whyImproved: Rule = ({ evaluations }) => {
  const measured = evaluations.flatMap(({ metrics }) => {
    const alone = metrics['critique/accuracy'];
    const helped = metrics['critique/refined_accuracy'];
    return alone === undefined || helped === undefined ? [] : [{ alone, helped }];
  });
  const last = measured.at(-1);
  if (last === undefined) return null;
  const stands = `${percent(last.alone)} of the actor’s own answers are correct, and ${percent(last.helped)} with the critic.`;
  const helps = ({ alone, helped }: typeof last) => helped - alone > APART;
  if (helps(last)) return `${stands} The critic helps.`;
  return measured.some(helps)
    ? `${stands} The critic no longer helps.`
    : `${stands} The critic has not helped so far.`;
};

export const whyLearned: Rule = (evidence) => {
  const all = roundMetrics(evidence, 'self_improvement/learned');
  const mended = roundMetrics(evidence, 'self_improvement/refined');
  if (all === null || mended === null) return null;
  if (all.last === 0) return 'The last round found no correct answer to train on.';
  const share = mended.last / all.last;
  return share === 0
    ? `The last round trained on ${several(all.last, 'correct answer')}, all found without a critic.`
    : `The last round trained on ${several(all.last, 'correct answer')}, ${percent(share)} of which were wrong before the critique.`;
};

export const whyLevels: Rule = (evidence) => {
  const hardest = levelNumbers.findLast(
    (level) => roundMetrics(evidence, `self_improvement/share_level_${level}`) !== null,
  );
  if (hardest === undefined) {
    return roundMetrics(evidence, 'self_improvement/learned')?.last === 0
      ? 'No answer has been correct so far, so the shares cannot be computed.'
      : null;
  }
  const share = roundMetrics(evidence, `self_improvement/share_level_${hardest}`);
  if (share === null) return null;
  const stands = `${percent(share.last)} of the answers that the last round trained on are at the hardest level.`;
  const change = share.last - share.first;
  if (change < -APART)
    return `${stands} The share was ${percent(share.first)} in the first round and has fallen since.`;
  if (change > APART)
    return `${stands} The share was ${percent(share.first)} in the first round and has risen since.`;
  return share.rounds === 1 ? stands : `${stands} That has hardly changed since the first round.`;
};
