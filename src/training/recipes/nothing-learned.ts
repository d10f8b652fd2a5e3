import type { Config } from '../../config/schema.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import { IterationTrace, nothingScored } from '../look/trace.ts';
import type { Outcome } from '../recipe.ts';

/** Result of an iteration with supervision only and no rollouts. */
export function nothingLearned(config: Config, metrics: MetricRow): Outcome {
  return {
    metrics,
    details: { updates: [], staleness: [] },
    trajectories: [],
    turns: 0,
    tokens: 0,
    trace: new IterationTrace(config, nothingScored, []),
  };
}
