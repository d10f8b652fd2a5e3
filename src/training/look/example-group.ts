/** Selects which of an iteration's many episodes to show. */

import type { Trajectory } from '../../agents/trajectory.ts';
import { type Group, hasSignal } from '../play/groups.ts';

/**
 * The group that best illustrates the comparison of episodes: one with successes and failures,
 * preferably with the longest success in understood actions; else the first with different rewards;
 * else the first.
 */
export function exampleGroup(groups: readonly Group[], gamma: number): Group | undefined {
  const mixed = groups.filter(
    ({ trajectories }) =>
      trajectories.some(({ success }) => success) && !trajectories.every(({ success }) => success),
  );
  const lengths = mixed.map(({ trajectories }) =>
    Math.max(...trajectories.map((one) => (one.success ? understoodTurns(one) : 0))),
  );
  const longest = mixed[lengths.indexOf(Math.max(...lengths))];
  return longest ?? groups.find((group) => hasSignal(group, gamma)) ?? groups[0];
}

const understoodTurns = ({ turns }: Trajectory) =>
  turns.filter(({ understood }) => understood).length;
