/** The policy's actions in the episodes of one iteration, by position. */

import type { PlaceStats } from '../../../envs/deeds.ts';
import type { TogetherView } from '../../../envs/views.ts';
import type { Reenactment } from '../../../runs/reenact.ts';

interface Count {
  times: number;
  solved: number;
}

/**
 * Counts the actions of every turn at the position where they were taken. Success rates count each
 * episode once per position and action, so they estimate the probability of success after visiting
 * the position, or after taking the action there.
 *
 * @param placedActions returns the actions of a turn, each with its position
 */
export function surveyOf(
  episodes: readonly Reenactment[],
  placedActions: TogetherView['placedActions'],
): ReadonlyMap<string, PlaceStats> {
  const places = new Map<string, Map<string, Count>>();
  for (const { record, states } of episodes) {
    const { id: environmentId, options } = record.environment;
    for (const [i, { action: said }] of record.turns.entries()) {
      const turn = {
        environmentId,
        options,
        before: states[i],
        action: said,
        after: states[i + 1],
      };
      for (const { place, action } of placedActions(turn)) {
        const counts = places.get(place) ?? new Map<string, Count>();
        places.set(place, counts);
        const count = counts.get(action) ?? { times: 0, solved: 0 };
        counts.set(action, count);
        count.times += 1;
        count.solved += record.success ? 1 : 0;
      }
    }
  }
  return new Map([...places].map(([place, counts]) => [place, factsOf(counts)]));
}

function factsOf(counts: ReadonlyMap<string, Count>): PlaceStats {
  let [visits, all] = [0, 0];
  const actions = [...counts].map(([action, { times, solved }]) => {
    visits += times;
    all += solved;
    return { action, times, success: solved / times };
  });
  actions.sort((a, b) => b.times - a.times);
  return { visits, success: all / visits, actions };
}
