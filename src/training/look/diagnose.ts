import { batchwide } from '../../algorithms/batchwide.ts';
import { entropyRule } from '../../algorithms/entropy-rule.ts';
import { surrogateRow } from '../../algorithms/objective.ts';
import type { Objective, RowScores, TokenPolicy, TrainingBatch } from '../../policy/types.ts';
import type { Diagnosis, TokenSample } from '../../runs/details.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import { lossRowsOf } from '../learn/loss-rows.ts';
import type { DoneUpdate } from '../learn/updates.ts';
import { mean } from '../sums.ts';

/** The policy's measurements around an update. */
export interface Examination {
  /** Scores of the update's rows before and after it. */
  readonly before: readonly RowScores[];
  readonly after: readonly RowScores[];
  /** Gradient norms of tokens with positive and with negative advantage. */
  readonly normPositive: number;
  readonly normNegative: number;
}

/**
 * Queues an update with measurements before and after it. The policy processes requests in order,
 * so nothing needs to be awaited in between and the measurements do not change results.
 */
export function examine<T>(
  policy: TokenPolicy,
  batches: readonly TrainingBatch[],
  objective: Objective,
  update: () => T,
): { readonly queued: T; readonly examination: Promise<Examination> } {
  const before = policy.score(batches, objective.temperature);
  const positive = policy.gradientNorm(batches, { ...objective, sign: 1 });
  const negative = policy.gradientNorm(batches, { ...objective, sign: -1 });
  const queued = update();
  const after = policy.score(batches, objective.temperature);
  const examination = Promise.all([before, after, positive, negative]).then((looks) => ({
    before: looks[0],
    after: looks[1],
    normPositive: looks[2],
    normNegative: looks[3],
  }));
  // Awaited only after the updates: if they fail first, its rejection would be unhandled.
  examination.catch(() => {});
  return { queued, examination };
}

/**
 * Compares the measured entropy change on an update's tokens with the prediction of the
 * entropy-clip rule (BAPO, arXiv:2510.18927, Eq. 6–7). Also records the gradient norms by sign and
 * a sample of tokens. The rule uses the gradient of the training objective, with its own ratios,
 * bounds and selected tokens.
 *
 * @param objective of the update
 * @param samples number of tokens to keep, evenly spaced over the update's
 */
export function diagnose(
  batches: readonly TrainingBatch[],
  { before, after, normPositive, normNegative }: Examination,
  done: DoneUpdate,
  objective: Objective,
  samples: number,
): { readonly metrics: MetricRow; readonly diagnosis: Diagnosis } | null {
  // A skipped update changed nothing, and its numbers are not finite.
  if (done.stats.skipped) return null;
  const { clipLow, clipHigh } = done.stats;
  const rows = lossRowsOf(batches, before);
  const whole = batchwide(rows, objective, { clipLow, clipHigh });
  const logps = Array.from(rows.logps);
  const results = logps.map((_, i) => surrogateRow(rows, i, objective, whole));
  const entropiesAfter = after.flatMap((scores) => Array.from(scores.entropies));
  const tokens = results.map(({ clipRatio, surrogatePull }, i): TokenSample => {
    const advantage = rows.advantages[i] ?? Number.NaN;
    return {
      logp: logps[i] ?? Number.NaN,
      ratio: clipRatio,
      advantage,
      entropy: rows.entropies[i] ?? Number.NaN,
      held: advantage !== 0 && surrogatePull === 0,
    };
  });
  return {
    metrics: {
      'diagnostics/entropy_change':
        mean(entropiesAfter, (H) => H) - mean(Array.from(rows.entropies), (H) => H),
      'diagnostics/entropy_rule': entropyRule({
        logps,
        ratios: results.map(({ ratio }) => ratio),
        pulls: results.map(({ surrogatePull }) => surrogatePull),
      }),
      'diagnostics/grad_norm_positive': normPositive,
      'diagnostics/grad_norm_negative': normNegative,
    },
    diagnosis: {
      update: done.update,
      clipLow,
      clipHigh,
      samples: evenlySpaced(tokens, samples),
    },
  };
}

/** At most `most` of the items, evenly spaced. */
function evenlySpaced<T>(items: readonly T[], most: number): T[] {
  const kept = Math.min(most, items.length);
  return items.filter(
    (_, i) => Math.floor((i * kept) / items.length) < Math.floor(((i + 1) * kept) / items.length),
  );
}
