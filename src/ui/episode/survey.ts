/** What the episodes of one iteration show of the policy that played them, place by place. */

import type { PlaceFacts } from '../../envs/deeds.ts';
import type { TogetherView } from '../../envs/views.ts';
import type { Reenactment } from './reenact.ts';

interface Count {
  times: number;
  solved: number;
}

/**
 * Counts what every turn did, at the place where it was done. Success is of the episodes that came by, each
 * deed for itself, so that it estimates what comes of being there, or of doing that there.
 *
 * @param deedsOf says what a turn did, and where
 */
export function surveyOf(
  episodes: readonly Reenactment[],
  deedsOf: TogetherView['deedsOf'],
): ReadonlyMap<string, PlaceFacts> {
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
      for (const { place, action } of deedsOf(turn)) {
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

function factsOf(counts: ReadonlyMap<string, Count>): PlaceFacts {
  let [visits, all] = [0, 0];
  const actions = [...counts].map(([action, { times, solved }]) => {
    visits += times;
    all += solved;
    return { action, times, success: solved / times };
  });
  actions.sort((a, b) => b.times - a.times);
  return { visits, success: all / visits, actions };
}
