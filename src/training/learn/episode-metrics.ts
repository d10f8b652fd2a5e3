import type { Trajectory } from '../../agents/trajectory.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import { mean } from '../sums.ts';

/** Means over finished training episodes; empty if there are none. */
export function episodeMetrics(trajectories: readonly Trajectory[]): MetricRow {
  if (trajectories.length === 0) return {};
  let turns = 0;
  let understood = 0;
  let tokens = 0;
  for (const trajectory of trajectories) {
    turns += trajectory.turns.length;
    for (const turn of trajectory.turns) {
      understood += Number(turn.understood);
      tokens += turn.actionTokens.length;
    }
  }
  return {
    'rollout/success_rate': mean(trajectories, (t) => Number(t.success)),
    'rollout/score': mean(trajectories, (t) => t.score),
    'rollout/turns': mean(trajectories, (t) => t.turns.length),
    'rollout/truncated': mean(trajectories, (t) => Number(t.truncated)),
    ...(turns > 0
      ? { 'rollout/understood': understood / turns, 'rollout/answer_tokens': tokens / turns }
      : {}),
  };
}
