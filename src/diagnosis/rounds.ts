/** Why the numbers of rounds of exploration and learning (AgentEvol) are what they are. */

import { percent, significant } from '../runs/numbers.ts';
import type { Rule } from './evidence.ts';
import { trend } from './trend.ts';

/** Greedy success that moved by less says nothing. */
const APART = 0.02;

/** The agent now beside what imitation alone had come to. */
export const whyRoundSuccess: Rule = ({ rows, evaluations }) => {
  if (rows.length === 0) return null;
  const copied = rows[0]?.metrics['imitation/success_rate'];
  const now = evaluations.at(-1)?.metrics['eval/success_rate'];
  if (copied === undefined || now === undefined) {
    return 'Each round is explored by the agent that the round before it has left.';
  }
  const from = `from ${percent(copied)} after imitation alone to ${percent(now)}`;
  if (now > copied + APART) {
    return `Greedy success has come ${from}: what the agent found by itself taught it more than it was shown.`;
  }
  if (now < copied - APART) {
    return `Greedy success has gone ${from}: what the rounds kept is too little, or too much of one kind.`;
  }
  return `Greedy success stands at ${percent(now)}, where imitation alone had brought it.`;
};

export const whyRoundEntropy: Rule = ({ rows }) => {
  const last = rows.at(-1)?.metrics['policy/entropy'];
  if (last === undefined) return null;
  const moved = trend(rows, 'policy/entropy');
  if (moved?.clear && moved.change < -APART * moved.before) {
    return 'It falls: the episodes that a round learns from agree more and more on what to write.';
  }
  if (moved?.clear && moved.change > APART * moved.before) {
    return 'It rises: the episodes that a round learns from have more ways in them.';
  }
  return `Over the updates of the newest round the agent wavered between some ${significant(Math.exp(last))} words.`;
};

export const whyKept: Rule = ({ rows }) => {
  const last = rows.at(-1)?.metrics;
  const kept = last?.['evolution/kept'];
  const explored = last?.['evolution/explored'];
  if (kept === undefined || explored === undefined) return null;
  if (kept === 0) return 'Nothing of this round is worth keeping so far.';
  const share = `${percent(kept / Math.max(1, explored))} of what this round tried is kept`;
  const moved = trend(rows, 'evolution/kept_share');
  if (moved?.clear && moved.change > APART) {
    return `${share}, and it becomes more: the better the agent, the more it finds.`;
  }
  if (moved?.clear && moved.change < -APART) {
    return `${share}, and it becomes less: the agent finds less of what is rewarded.`;
  }
  return `${share}; the rest earned nothing that counts.`;
};

export const whyRoundLoss: Rule = ({ rows, facts }) => {
  const last = rows.at(-1);
  if (last === undefined) return null;
  if (last.metrics['evolution/loss'] === undefined) {
    return last.metrics['evolution/kept'] === 0
      ? 'The newest round kept nothing, so the agent stayed as it was.'
      : 'The newest iteration only explored; the last one of its round learns.';
  }
  return facts.evolution?.start === 'base'
    ? 'Every round begins anew from the weights before imitation: the loss says how well all that was kept can be learned together, and is no long descent.'
    : 'The lower it is, the surer the agent writes what was kept.';
};
