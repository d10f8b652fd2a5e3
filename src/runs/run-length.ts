/** The expected length of a run. */

import type { Config } from '../config/schema.ts';
import type { Row } from './row.ts';

/** Number of newest iterations from which the pace is computed. */
export const PACE_WINDOW = 12;

/**
 * The iteration in which a run reaches its limit of iterations, turns or tokens, whichever comes first; a
 * target success may end it sooner. Turns and tokens per iteration are those of the newest rows; without
 * rows, the most that the episodes of the first iteration can take.
 */
export function expectedIterations(
  { stopping, rollout, horizon, agent }: Config,
  rows: readonly Row[],
): number {
  const recent = rows.slice(-PACE_WINDOW);
  const before = rows.at(-1 - recent.length);
  const last = recent.at(-1);
  const limit = (budget: number, key: 'progress/turns' | 'progress/tokens', most: number) => {
    const used = last?.metrics[key] ?? 0;
    const pace = last === undefined ? most : (used - (before?.metrics[key] ?? 0)) / recent.length;
    return budget > 0 && pace > 0
      ? (last?.iteration ?? 0) + Math.max(0, Math.ceil((budget - used) / pace))
      : Number.POSITIVE_INFINITY;
  };
  const turns = horizon.schedule === 'fixed' ? horizon.turns : (horizon.rounds[0] ?? 1);
  const most = rollout.tasks_per_iteration * rollout.group_size * turns;
  return Math.min(
    stopping.iterations,
    limit(stopping.turns, 'progress/turns', most),
    limit(stopping.tokens, 'progress/tokens', most * agent.max_action_tokens),
  );
}
