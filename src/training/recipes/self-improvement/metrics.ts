import { type Conversation, wordsOf } from '../../../agents/modes/conversation.ts';
import type { Criticizable } from '../../../agents/modes/prompts.ts';
import { levelNumbers } from '../../../runs/levels.ts';
import type { MetricRow } from '../../../runs/metrics.ts';
import { mean } from '../../sums.ts';
import { type CorrectAnswer, levelShares } from './data.ts';
import type { Round } from './play.ts';

/** Metrics of a round's answers and of its training data. */
export function roundMetrics(
  { criticism }: Criticizable,
  { answers, tokens }: Round,
  correct: readonly Pick<CorrectAnswer, 'task' | 'refined'>[],
): MetricRow {
  const shares = levelShares(
    correct.map(({ task }) => task),
    criticism.levels,
    (task) => criticism.level(task),
  );
  return {
    'rollout/success_rate': mean(answers, ({ utterances: [first] }) =>
      Number(first?.trajectory.success ?? false),
    ),
    'self_improvement/learned': correct.length,
    'self_improvement/refined': correct.filter(({ refined }) => refined).length,
    'self_improvement/tokens': tokens,
    ...byLevel((level) => shares?.[level - 1], 'share'),
  };
}

/** Success per level without a critic, and after one critique and refinement. */
export function successByLevel(
  { criticism }: Criticizable,
  conversations: readonly Conversation[],
): MetricRow {
  const of = (level: number) => conversations.filter(({ task }) => criticism.level(task) === level);
  const share = (right: (conversation: Conversation) => boolean) => (level: number) => {
    const own = of(level);
    return own.length === 0 ? undefined : mean(own, (conversation) => Number(right(conversation)));
  };
  const textOf = ({ task, utterances }: Conversation, u: number) => {
    const utterance = utterances[u];
    return utterance !== undefined && criticism.judge(task, wordsOf(utterance)).right;
  };
  return {
    ...byLevel(
      share((conversation) => textOf(conversation, 0)),
      'success',
    ),
    ...byLevel(
      share((conversation) => textOf(conversation, 2)),
      'refined',
    ),
  };
}

/** One metric per level. */
function byLevel(
  value: (level: number) => number | undefined,
  what: 'share' | 'success' | 'refined',
): MetricRow {
  const row: MetricRow = {};
  for (const level of levelNumbers) {
    const own = value(level);
    if (own !== undefined) row[`self_improvement/${what}_level_${level}`] = own;
  }
  return row;
}
