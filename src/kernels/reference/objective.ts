import { add, at, type Values } from './values.ts';

/**
 * The readable clipped surrogate, `ppoClipReference` of src/algorithms, as far as it is needed here.
 * Kernels and policy know nothing of algorithms, so whoever compares the two hands it in.
 */
export type PpoClipReference = (input: {
  readonly logits: Values;
  readonly targets: Values;
  readonly behaviourLogps: Values;
  readonly advantages: Values;
  readonly weights: Values;
  readonly clipLow: number;
  readonly clipHigh: number;
  readonly entropyCoef: number;
  readonly temperature: number;
}) => {
  readonly loss: number;
  readonly rows: readonly {
    readonly logp: number;
    readonly entropy: number;
    readonly ratio: number;
    readonly approxKl: number;
    readonly loss: number;
    readonly clippedLow: boolean;
    readonly clippedHigh: boolean;
  }[];
  readonly dlogits: Float64Array;
};

export interface ClipSettings {
  readonly clipLow: number;
  readonly clipHigh: number;
  readonly entropyCoef: number;
  readonly temperature: number;
}

interface ObjectiveInput {
  /** (rows, stride) */
  readonly logits: Values;
  /** (rows+1) where the loss rows of each logits row begin. */
  readonly starts: Values;
  /** (lossRows) */
  readonly targets: Values;
  readonly behaviourLogps: Values;
  readonly advantages: Values;
  readonly weights: Values;
}

/**
 * The clipped surrogate over loss rows that may share a row of logits: logits row l has the loss rows
 * starts[l] .. starts[l+1]−1, and their gradients add up. Columns from `vocabulary` on get none.
 * stats (lossRows, 8): weighted loss, entropy, approximate KL, ratio, clipped low, clipped high,
 * log-probability, 0. totals (8): the columns' sums.
 */
export function objectiveReference(
  surrogate: PpoClipReference,
  { logits, starts, targets, behaviourLogps, advantages, weights }: ObjectiveInput,
  {
    rows,
    vocabulary,
    stride,
  }: { readonly rows: number; readonly vocabulary: number; readonly stride: number },
  settings: ClipSettings,
): { dlogits: Float64Array; stats: Float64Array; totals: Float64Array } {
  const dlogits = new Float64Array(rows * stride);
  const stats = new Float64Array(targets.length * 8);
  const totals = new Float64Array(8);
  for (let l = 0; l < rows; l++) {
    const row = Float64Array.from({ length: vocabulary }, (_, v) => at(logits, l * stride + v));
    for (let i = at(starts, l); i < at(starts, l + 1); i++) {
      const weight = at(weights, i);
      const result = surrogate({
        ...settings,
        logits: row,
        targets: [at(targets, i)],
        behaviourLogps: [at(behaviourLogps, i)],
        advantages: [at(advantages, i)],
        weights: [weight],
      });
      const [{ logp, entropy, approxKl, ratio, loss, clippedLow, clippedHigh }] = one(result.rows);
      const columns = [
        weight * loss,
        entropy,
        approxKl,
        ratio,
        Number(clippedLow),
        Number(clippedHigh),
        logp,
        0,
      ];
      columns.forEach((value, column) => {
        stats[i * 8 + column] = value;
        add(totals, column, value);
      });
      for (let v = 0; v < vocabulary; v++) add(dlogits, l * stride + v, at(result.dlogits, v));
    }
  }
  return { dlogits, stats, totals };
}

function one<T>(rows: readonly T[]): readonly [T] {
  const [row] = rows;
  if (row === undefined) throw new RangeError('the surrogate of one row gave none');
  return [row];
}
