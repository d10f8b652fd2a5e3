/** Groups whose episodes all get the same reward, which gives no advantage to learn from. */

import { estimators } from '../algorithms/advantages.ts';
import { percent } from '../runs/numbers.ts';
import type { Evidence } from './evidence.ts';
import { alwaysFailing, recentMean } from './trend.ts';

/** If at least this share of the groups has no signal, that explains why a run does not improve. */
const MOST_SILENT = 0.85;

/**
 * Mean share of groups without a signal over the newest iterations; 0 for estimators that do not compare
 * the episodes of a group.
 */
export function silentGroups({ rows, facts }: Evidence): number {
  const advantage = facts.algorithm?.advantage;
  if (advantage === undefined || estimators[advantage].against !== 'group') return 0;
  return recentMean(rows, 'rollout/group_zero_std') ?? 0;
}

/** States how many groups lack a signal, and how many tasks always fail; null if too few groups lack one. */
export function silence(evidence: Evidence): string | null {
  const idle = silentGroups(evidence);
  if (idle < MOST_SILENT) return null;
  const tasks = evidence.facts.rollout?.tasks_per_iteration;
  const failing = alwaysFailing(tasks, idle, recentMean(evidence.rows, 'rollout/success_rate'));
  const count =
    failing === 0
      ? ''
      : ` About ${failing} of ${tasks} tasks fail in every attempt, and the others succeed.`;
  return `In ${percent(idle)} of the groups all episodes have the same reward, so they give no gradient.${count}`;
}
