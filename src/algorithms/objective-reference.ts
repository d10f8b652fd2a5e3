import { batchwide } from './batchwide.ts';
import {
  at,
  type Batchwide,
  type LossRows,
  type ObjectiveSettings,
  type SurrogateRow,
  surrogateRow,
} from './objective.ts';
import { byStatistic, type RowSums, statisticsOfRow } from './row-statistics.ts';

/**
 * log-probabilities (V) and entropy in nats of softmax(logits / T).
 *
 * @param logits (V)
 */
export function softmaxScores(
  logits: ArrayLike<number>,
  temperature: number,
): { logps: Float64Array; entropy: number } {
  const z = Float64Array.from(logits, (x) => x / temperature);
  // Shifted by the maximum to prevent overflow.
  const max = z.reduce((m, x) => Math.max(m, x), Number.NEGATIVE_INFINITY);
  const logSum = Math.log(z.reduce((sum, x) => sum + Math.exp(x - max), 0));
  const logps = z.map((x) => x - max - logSum);
  let entropy = 0;
  for (const logp of logps) {
    const p = Math.exp(logp);
    // A token of probability 0 adds 0 (the limit of p·log p), where the product would be NaN.
    if (p > 0) entropy -= p * logp;
  }
  return { logps, entropy };
}

/**
 * The complete loss of an update and its gradient in float64: the readable reference against which
 * the GPU kernels are tested.
 *
 *     loss         = Σᵢ wᵢ·lossᵢ                      π = softmax(logits / T)
 *     ∂logπ(a)/∂z_v = (1[v = a] − π_v) / T
 *     ∂H/∂z_v       = −π_v·(log π_v + H) / T
 *
 * @throws {RangeError} if the lengths are inconsistent or a target is not in the vocabulary.
 */
export function objectiveReference(input: {
  /** (U·V) one row of logits for each loss row. */
  readonly logits: ArrayLike<number>;
  /** (U) token that the agent generated. */
  readonly targets: ArrayLike<number>;
  readonly temperature: number;
  /** (U) zeros if absent. */
  readonly values?: ArrayLike<number>;
  readonly rows: Omit<LossRows, 'logps' | 'entropies' | 'values'>;
  readonly settings: ObjectiveSettings;
}): {
  readonly loss: number;
  /** (U) */
  readonly rows: SurrogateRow[];
  /** Sums of the rows' statistics. */
  readonly sums: RowSums;
  readonly batchwide: Batchwide;
  /** (U·V) */
  readonly dlogits: Float64Array;
  /** (U) */
  readonly dvalues: Float64Array;
  /** (U) */
  readonly logps: Float64Array;
  /** (U) nats */
  readonly entropies: Float64Array;
} {
  const { logits, targets, temperature, settings } = input;
  const U = targets.length;
  const V = U === 0 ? 0 : logits.length / U;
  if (!Number.isInteger(V)) {
    throw new RangeError(`${logits.length} logits cannot be shared among ${U} rows`);
  }
  const values = input.values ?? new Float64Array(U);
  for (const [name, { length }] of Object.entries({ values, ...input.rows })) {
    if (length !== U) throw new RangeError(`${name} has ${length} entries for ${U} targets`);
  }

  const scores = Array.from({ length: U }, (_, i) =>
    softmaxScores(
      Float64Array.from({ length: V }, (_, v) => at(logits, i * V + v)),
      temperature,
    ),
  );
  const logps = Float64Array.from(scores, (score, i) => {
    const target = at(targets, i);
    if (!(target < V)) throw new RangeError(`target ${target} is not in a vocabulary of ${V}`);
    return at(score.logps, target);
  });
  const entropies = Float64Array.from(scores, ({ entropy }) => entropy);

  const lossRows: LossRows = { ...input.rows, logps, entropies, values };
  const found = batchwide(lossRows, settings);
  const rows = scores.map((_, i) => surrogateRow(lossRows, i, settings, found));

  const dlogits = new Float64Array(logits.length);
  scores.forEach((score, i) => {
    const { pull, entropyWeight } = at(rows, i);
    score.logps.forEach((logp, v) => {
      const p = Math.exp(logp);
      const dlogp = (v === at(targets, i) ? 1 : 0) - p;
      const dentropy = p > 0 ? -p * (logp + score.entropy) : 0;
      dlogits[i * V + v] = (pull * dlogp - entropyWeight * dentropy) / temperature;
    });
  });
  const statistics = rows.map((row, i) => statisticsOfRow(row, lossRows, i));
  return {
    loss: rows.reduce((sum, row, i) => sum + at(input.rows.weights, i) * row.loss, 0),
    rows,
    sums: byStatistic((name) => statistics.reduce((sum, row) => sum + row[name], 0)),
    batchwide: found,
    dlogits,
    dvalues: Float64Array.from(rows, ({ dvalue }) => dvalue),
    logps,
    entropies,
  };
}
