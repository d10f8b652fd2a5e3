/** Groups whose episodes all get the same reward, which gives no advantage to learn from. */

import { estimators } from '../algorithms/advantages.ts';
import { percent } from '../runs/numbers.ts';
import type { Evidence, Facts } from './evidence.ts';
import { alwaysFailing, recentMean } from './trend.ts';

/** If at least this share of the groups has no signal, that explains why a run does not improve. */
const MOST_SILENT = 0.85;

/**
 * Whether a group whose episodes all have the same reward has zero advantages, up to penalties for
 * length. A KL penalty in the reward still makes them differ, and group metrics do not include it.
 */
export function comparesRewards({ algorithm = {} }: Facts): boolean {
  const { advantage, kl_coef = 0, kl_placement } = algorithm;
  return (
    advantage !== undefined &&
    estimators[advantage].against === 'group' &&
    !(kl_coef > 0 && kl_placement === 'reward')
  );
}

/** Whether penalties for length are equal in all episodes: there are none, or all are truncated. */
export const equalPenalties = ({ algorithm = {} }: Facts, truncated: number): boolean =>
  (algorithm.overlong_share ?? 0) === 0 || truncated > 0.99;

/**
 * Mean share of groups without a signal over the newest iterations; 0 if equal rewards do not mean that.
 */
export function silentGroups({ rows, facts }: Evidence): number {
  const truncated = recentMean(rows, 'rollout/truncated') ?? 0;
  return comparesRewards(facts) && equalPenalties(facts, truncated)
    ? (recentMean(rows, 'rollout/group_zero_std') ?? 0)
    : 0;
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
