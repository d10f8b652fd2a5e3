import { expect, it } from 'vitest';
import type { Trajectory } from '../../agents/trajectory.ts';
import type { Group } from '../play/groups.ts';
import { exampleGroup } from './example-group.ts';

/**
 * A group of episodes, each with its reward and, per turn, whether the action was understood. The
 * last turn of a success is rewarded.
 */
function group(task: string, ...episodes: readonly (readonly [number, ...boolean[]])[]): Group {
  const trajectories = episodes.map(
    ([reward, ...understood]) =>
      ({
        success: reward > 0,
        turns: understood.map((one, t) => ({
          understood: one,
          reward: t === understood.length - 1 ? reward : 0,
        })),
      }) as unknown as Trajectory,
  );
  return { iteration: 1, group: 0, task, horizon: 10, trajectories };
}

it('selects a group with a failure and a success, preferring the longest success', () => {
  const none = group('none', [0, true, true, true], [0, true]);
  const short = group('short', [1, true], [0, true, true, true]);
  const babble = group('babble', [1, false, false, false, true], [0, false]);
  const way = group('way', [1, true, true], [0, false]);
  const all = group('all', [1, true, true, true], [0.5, true]);
  expect(exampleGroup([none, short, babble, way, all], 1)?.task).toBe('way');
  expect(exampleGroup([none, all, babble, short], 1)?.task).toBe('babble');
  // Successes with different rewards are more informative than only failures.
  expect(exampleGroup([none, all], 1)?.task).toBe('all');
  expect(exampleGroup([none], 1)?.task).toBe('none');
  expect(exampleGroup([], 1)).toBeUndefined();
});
