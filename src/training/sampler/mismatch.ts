import type { ImportanceWeight } from '../../config/schema.ts';
import type { RowScores, TrainingBatch } from '../../policy/types.ts';
import type { MetricRow } from '../../runs/metrics.ts';

/**
 * Changes the behavior log-probabilities of an update's rows such that its importance weights
 * π_proximal/π_behavior become what the config asks for. In place, so that the inspector shows the
 * weights that were used.
 *
 * - `none`: 1, as in a trainer that ignores the mismatch.
 * - `sequence`: the product over the tokens of the row's episode, truncated at the cap.
 *
 * @param cap upper limit of the weight of an episode
 */
export function correct(
  batches: readonly TrainingBatch[],
  weight: ImportanceWeight,
  cap: number,
): void {
  if (weight === 'token') return;
  const totals = weight === 'sequence' ? episodeLogWeights(batches) : null;
  const most = Math.log(cap);
  for (const { behaviorLogps, proximalLogps, episodes } of batches) {
    proximalLogps?.forEach((logp, i) => {
      const total = totals?.get(episodes?.[i] ?? 0) ?? 0;
      behaviorLogps[i] = logp - Math.min(total, most);
    });
  }
}

/** Σ log(π_proximal/π_behavior) over the tokens of each episode of an update. */
function episodeLogWeights(batches: readonly TrainingBatch[]): ReadonlyMap<number, number> {
  const totals = new Map<number, number>();
  for (const { behaviorLogps, proximalLogps, episodes } of batches) {
    proximalLogps?.forEach((logp, i) => {
      const episode = episodes?.[i] ?? 0;
      const own = logp - (behaviorLogps[i] ?? Number.NaN);
      totals.set(episode, (totals.get(episode) ?? 0) + own);
    });
  }
  return totals;
}

/**
 * The mismatch of sampler and trainer over the rows of an iteration's first update, before any step.
 *
 * With w = π_trainer/π_sampler per token: the gap is E|π_trainer − π_sampler|, the KL divergence
 * KL(sampler ‖ trainer) is estimated by E[w − 1 − log w] (k3, joschu.net/blog/kl-approx.html), and
 * the effective sample size is (Σw)²/(nΣw²), over tokens and, with the product of w over an episode,
 * over episodes.
 *
 * @param logps (R) of each batch, under the policy that generated the tokens
 */
export function mismatch(
  batches: readonly TrainingBatch[],
  logps: readonly Float32Array[],
  scores: readonly RowScores[],
): MetricRow {
  const logRatios: number[] = [];
  const ofEpisodes = new Map<number, number>();
  let gap = 0;
  let kl = 0;
  for (const [b, { episodes }] of batches.entries()) {
    scores[b]?.logps.forEach((trainer, i) => {
      const sampler = logps[b]?.[i] ?? Number.NaN;
      const logRatio = trainer - sampler;
      const episode = episodes?.[i] ?? 0;
      ofEpisodes.set(episode, (ofEpisodes.get(episode) ?? 0) + logRatio);
      logRatios.push(logRatio);
      gap += Math.abs(Math.exp(trainer) - Math.exp(sampler));
      kl += Math.expm1(logRatio) - logRatio;
    });
  }
  return {
    'policy/sampler_gap': gap / logRatios.length,
    'policy/sampler_kl': kl / logRatios.length,
    'policy/sampler_ess': effectiveShare(logRatios),
    'policy/sampler_ess_episodes': effectiveShare([...ofEpisodes.values()]),
  };
}

/** Effective sample size as a share of the sample, (Σw)²/(nΣw²), of weights given as logarithms. */
function effectiveShare(logWeights: readonly number[]): number {
  // The share does not depend on the scale of the weights; products over long episodes may overflow.
  const most = logWeights.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const weights = logWeights.map((logWeight) => Math.exp(logWeight - most));
  const sum = weights.reduce((total, w) => total + w, 0);
  const squares = weights.reduce((total, w) => total + w * w, 0);
  return (sum * sum) / (weights.length * squares);
}
