import type { Config } from '../../../config/schema.ts';
import type { RemoteReport } from '../../../envs/types.ts';
import type { MetricRow } from '../../../runs/metrics.ts';
import { episodeMetrics } from '../../learn/episode-metrics.ts';
import type { Group, Played } from '../../play/groups.ts';
import { hasSignal } from '../../play/groups.ts';
import type { TrainingGroup } from '../../play/replay.ts';
import { mean } from '../../sums.ts';

/** Means over the finished episodes; with partial rollouts an iteration may have none. */
export function rolloutMetrics(
  { rollout, replay, algorithm }: Config,
  played: Played,
  fresh: readonly TrainingGroup[],
  replayed: readonly TrainingGroup[],
): MetricRow {
  const trajectories = played.groups.flatMap((group) => group.trajectories);
  const silent = (group: Group) => Number(!hasSignal(group, algorithm.gamma));
  return {
    'rollout/horizon': played.horizon,
    ...episodeMetrics(trajectories),
    ...(trajectories.length > 0 && rollout.group_size > 1
      ? {
          'rollout/group_zero_std': mean(played.groups, silent),
          'rollout/group_same_start': mean(played.groups, sameStart),
          'rollout/diversity': diversity(trajectories),
        }
      : {}),
    ...(rollout.resampling_rounds > 0 ? { 'rollout/resampled': played.resampled } : {}),
    ...(rollout.partial_turns > 0 || rollout.partial_tokens > 0
      ? { 'rollout/paused': played.paused }
      : {}),
    ...(replay.share > 0 ? replayMetrics(fresh.flat().length, replayed.flat().length) : {}),
  };
}

export function remoteMetrics({ faults, answerMs }: RemoteReport): MetricRow {
  return {
    'rollout/faults': faults,
    ...(answerMs === null ? {} : { 'time/answer': answerMs }),
  };
}

/** An episode's data for `diversity`. */
interface Acted {
  readonly task: string;
  readonly turns: readonly { readonly actionTokens: readonly number[] }[];
}

/**
 * Share of distinct action sequences among a task's episodes, averaged over tasks. Actions are
 * compared token by token.
 */
export function diversity(episodes: readonly Acted[]): number {
  const byTask = new Map<string, string[]>();
  for (const { task, turns } of episodes) {
    const sequence = turns.map(({ actionTokens }) => actionTokens.join(' ')).join('\n');
    byTask.set(task, [...(byTask.get(task) ?? []), sequence]);
  }
  return mean([...byTask.values()], (sequences) => new Set(sequences).size / sequences.length);
}

/** Whether all episodes begin with the same observation, as episodes of one task do. */
function sameStart({ trajectories }: Group): number {
  return Number(new Set(trajectories.map(({ turns }) => turns[0]?.observation)).size <= 1);
}

function replayMetrics(fresh: number, replayed: number): MetricRow {
  return fresh === 0 ? {} : { 'rollout/replay_share': replayed / (fresh + replayed) };
}
