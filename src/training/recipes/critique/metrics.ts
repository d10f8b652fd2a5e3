import { type Conversation, critiquedAnswers } from '../../../agents/modes/conversation.ts';
import { critiqueMetrics } from '../../../algorithms/critique-metrics.ts';
import type { MetricRow } from '../../../runs/metrics.ts';
import { episodeMetrics } from '../../learn/episode-metrics.ts';
import { type Group, hasSignal } from '../../play/groups.ts';
import { mean } from '../../sums.ts';
import type { Stage } from './stage.ts';

/**
 * Metrics of the critic on evaluation answers. A share is absent if there are no answers to compute
 * it from.
 */
export function heardMetrics(conversations: readonly Conversation[]): MetricRow {
  const answers = critiquedAnswers(conversations);
  if (answers.length === 0) return {};
  const metrics = critiqueMetrics(answers);
  const some = (key: keyof MetricRow, value: number | null): MetricRow =>
    value === null ? {} : { [key]: value };
  return {
    'critique/accuracy': metrics.accuracy,
    'critique/refined_accuracy': metrics.refinedAccuracy,
    'critique/delta': metrics.delta,
    'critique/correct_to_incorrect': metrics.correctToIncorrect,
    ...some('critique/correct_to_incorrect_of_right', metrics.correctToIncorrectOfRight),
    'critique/incorrect_to_correct': metrics.incorrectToCorrect,
    ...some('critique/helpfulness', metrics.helpfulness),
    'critique/discrimination': metrics.discrimination,
    ...some('critique/discrimination_right', metrics.discriminationRight),
    ...some('critique/discrimination_wrong', metrics.discriminationWrong),
    'critique/malformed': metrics.malformed,
  };
}

/** Metrics of the critiques that an iteration trains on. */
export function learnedMetrics({ number }: Stage, groups: readonly Group[]): MetricRow {
  return {
    'critique/stage': number,
    ...episodeMetrics(groups.flatMap(({ trajectories }) => trajectories)),
    'rollout/group_zero_std': mean(groups, (group) => Number(!hasSignal(group, 1))),
  };
}
