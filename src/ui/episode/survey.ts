/** What the episodes of one iteration show of the policy that played them, place by place. */

import type { PlaceFacts } from '../../envs/views.ts';
import type { Reenactment } from './reenact.ts';

interface Count {
  visits: number;
  solved: number;
  readonly actions: Map<string, number>;
}

/**
 * Counts every turn at the place where it was taken. Success is of the episodes that came by, each turn for
 * itself, so that it estimates what comes of being there.
 *
 * @param placeOf names the place of a state
 */
export function surveyOf(
  episodes: readonly Reenactment[],
  placeOf: (state: unknown) => string,
): ReadonlyMap<string, PlaceFacts> {
  const counts = new Map<string, Count>();
  for (const { record, states } of episodes) {
    for (const [i, { action }] of record.turns.entries()) {
      const place = placeOf(states[i]);
      const count = counts.get(place) ?? { visits: 0, solved: 0, actions: new Map() };
      counts.set(place, count);
      count.visits += 1;
      count.solved += record.success ? 1 : 0;
      count.actions.set(action, (count.actions.get(action) ?? 0) + 1);
    }
  }
  return new Map([...counts].map(([place, count]) => [place, factsOf(count)]));
}

function factsOf({ visits, solved, actions }: Count): PlaceFacts {
  let [action, most] = ['', 0];
  for (const [one, times] of actions) if (times > most) [action, most] = [one, times];
  return { visits, action, share: most / visits, success: solved / visits };
}
