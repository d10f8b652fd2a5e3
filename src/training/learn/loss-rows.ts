import type { LossRows } from '../../algorithms/objective.ts';
import type { RowScores, TrainingBatch } from '../../policy/types.ts';

/** Ratio bounds of an update. */
export interface BoundsInForce {
  readonly clipLow: number;
  readonly clipHigh: number;
}

/** The loss rows of an update, in the order of its micro-batches. */
export function lossRowsOf(
  batches: readonly TrainingBatch[],
  scores: readonly RowScores[],
): LossRows {
  const U = batches.reduce((sum, { rows }) => sum + rows.length, 0);
  const column = (pick: (b: number) => ArrayLike<number> | undefined): Float32Array => {
    const all = new Float32Array(U);
    let start = 0;
    for (const [b, { rows }] of batches.entries()) {
      all.set(pick(b) ?? [], start);
      start += rows.length;
    }
    return all;
  };
  return {
    logps: column((b) => scores[b]?.logps),
    entropies: column((b) => scores[b]?.entropies),
    values: column((b) => scores[b]?.values),
    behaviorLogps: column((b) => batches[b]?.behaviorLogps),
    proximalLogps: column((b) => batches[b]?.proximalLogps ?? batches[b]?.behaviorLogps),
    referenceLogps: column((b) => batches[b]?.referenceLogps ?? batches[b]?.behaviorLogps),
    advantages: column((b) => batches[b]?.advantages),
    weights: column((b) => batches[b]?.weights),
    oldValues: column((b) => batches[b]?.oldValues),
    returns: column((b) => batches[b]?.returns),
    episodes: column((b) => batches[b]?.episodes),
  };
}
