import { parseConfig } from '../../config/check.ts';
import type { UpdateDetail } from '../details.ts';
import type { MetricRow } from '../metrics.ts';
import type { Row } from '../row.ts';

export const [maze, wordle] = ['maze/double-t-v1', 'wordle/wordle-v1'] as const;

/** Config of an agent trained in a mixture of two environments. */
export const mixed = parseConfig({ env: { mixture: [{ id: maze }, { id: wordle, share: 3 }] } });

/** An iteration with metrics only. */
export const row = (iteration: number, metrics: MetricRow): Row => ({
  iteration,
  metrics,
  details: { updates: [], staleness: [] },
  milliseconds: 500,
});

/** An unremarkable update, with the given fields replaced. */
export const update = (given: Partial<UpdateDetail>): UpdateDetail => ({
  update: 1,
  loss: 0,
  entropy: 1,
  clipLow: 0.8,
  clipHigh: 1.2,
  positiveShare: 0.5,
  clippedLow: 0,
  clippedHigh: 0,
  gradNorm: 1,
  skipped: false,
  positiveCounts: [0, 1, 0],
  negativeCounts: [0, 1, 0],
  positivePull: [0, 1, 0],
  negativePull: [0, 1, 0],
  ...given,
});
