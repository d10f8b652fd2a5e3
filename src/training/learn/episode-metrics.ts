import type { Trajectory } from '../../agents/trajectory.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import { mean } from '../sums.ts';

/** Means over finished training episodes; empty if there are none. */
export function episodeMetrics(trajectories: readonly Trajectory[]): MetricRow {
  if (trajectories.length === 0) return {};
  const turns = trajectories.flatMap((trajectory) => trajectory.turns);
  return {
    'rollout/success_rate': mean(trajectories, (t) => Number(t.success)),
    'rollout/score': mean(trajectories, (t) => t.score),
    'rollout/turns': mean(trajectories, (t) => t.turns.length),
    'rollout/truncated': mean(trajectories, (t) => Number(t.truncated)),
    ...(turns.length > 0
      ? {
          'rollout/understood': mean(turns, ({ understood }) => Number(understood)),
          'rollout/answer_tokens': mean(turns, ({ actionTokens }) => actionTokens.length),
        }
      : {}),
  };
}
