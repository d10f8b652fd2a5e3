/** How the tokens of a mini-batch share its loss. */
export type LossAggregation = 'token_mean' | 'seq_mean_token_mean' | 'seq_mean_token_sum_norm';

/**
 * Loss weight of each token of each episode, named as in verl. With |yᵢ| tokens in episode i and S
 * non-empty episodes:
 *
 *     token_mean               1 / Σ|y|       equal per token (DAPO, arXiv:2503.14476)
 *     seq_mean_token_mean      1 / (S·|yᵢ|)   equal per episode (GRPO, arXiv:2402.03300)
 *     seq_mean_token_sum_norm  1 / (S·N)      a constant N for the length (Dr. GRPO, arXiv:2503.20783)
 *
 * @param lengths tokens of each episode of the mini-batch
 * @param normalizer N, for `seq_mean_token_sum_norm`
 * @returns one weight per episode, 0 if it has no token
 */
export function lossWeights(
  lengths: readonly number[],
  aggregation: LossAggregation,
  normalizer: number,
): number[] {
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  const sequences = lengths.filter((length) => length > 0).length;
  return lengths.map((length) => {
    if (length === 0) return 0;
    switch (aggregation) {
      case 'token_mean':
        return 1 / tokens;
      case 'seq_mean_token_mean':
        return 1 / (sequences * length);
      case 'seq_mean_token_sum_norm':
        return 1 / (sequences * normalizer);
      default:
        return aggregation satisfies never;
    }
  });
}
