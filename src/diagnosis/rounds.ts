/** Explains the numbers of rounds of exploration and learning (AgentEvol). */

import { percent, significant } from '../runs/numbers.ts';
import type { Rule } from './evidence.ts';
import { trend } from './trend.ts';

/** Smaller changes of greedy success are ignored. */
const APART = 0.02;

/** The current agent compared with imitation alone. */
export const whyRoundSuccess: Rule = ({ rows, evaluations }) => {
  if (rows.length === 0) return null;
  const copied = rows[0]?.metrics['imitation/success_rate'];
  const now = evaluations.at(-1)?.metrics['eval/success_rate'];
  if (copied === undefined || now === undefined) {
    return 'Each round explores with the agent that the previous round produced.';
  }
  const from = `from ${percent(copied)} after imitation alone to ${percent(now)}`;
  if (now > copied + APART) {
    return `Greedy success went ${from}: the agent’s own episodes taught it what the demonstrations had not.`;
  }
  if (now < copied - APART) {
    return `Greedy success went ${from}: the rounds kept too few episodes, or too many of one kind.`;
  }
  return `Greedy success is ${percent(now)}, the level of imitation alone.`;
};

export const whyRoundEntropy: Rule = ({ rows }) => {
  const last = rows.at(-1)?.metrics['policy/entropy'];
  if (last === undefined) return null;
  const moved = trend(rows, 'policy/entropy');
  if (moved?.clear && moved.change < -APART * moved.before) {
    return 'It falls: the episodes that a round trains on become more alike.';
  }
  if (moved?.clear && moved.change > APART * moved.before) {
    return 'It rises: the solutions that a round trains on become more diverse.';
  }
  return `In the newest round the agent chose among about ${significant(Math.exp(last))} tokens at a time: its perplexity, the exponential of its entropy.`;
};

export const whyKept: Rule = ({ rows }) => {
  const last = rows.at(-1)?.metrics;
  const kept = last?.['evolution/kept'];
  const explored = last?.['evolution/explored'];
  if (kept === undefined || explored === undefined) return null;
  if (kept === 0) return 'So far this round has kept no episodes.';
  const share = `This round keeps ${percent(kept / Math.max(1, explored))} of its episodes`;
  const moved = trend(rows, 'evolution/kept_share');
  if (moved?.clear && moved.change > APART) {
    return `${share}, and the share rises: a better agent solves more tasks.`;
  }
  if (moved?.clear && moved.change < -APART) {
    return `${share}, and the share falls: fewer episodes are rewarded.`;
  }
  return `${share}; the others were not rewarded.`;
};

export const whyRoundLoss: Rule = ({ rows, facts }) => {
  const last = rows.at(-1);
  if (last === undefined) return null;
  if (last.metrics['evolution/loss'] === undefined) {
    return last.metrics['evolution/kept'] === 0
      ? 'The newest round kept nothing, so the agent did not change.'
      : 'The newest iteration only explored; the last iteration of a round trains.';
  }
  return facts.evolution?.start === 'base'
    ? 'Every round starts from the weights before imitation. The loss shows how well one policy fits all kept episodes, so it does not fall over the rounds.'
    : 'The lower it is, the better the agent fits the kept episodes.';
};
