import { discountAfter, largestOf, magnitudeOf, whiten } from './returns.ts';
import type { EpisodeSignal, EstimatorSettings, TokenAdvantages } from './signal.ts';

/**
 * Whitened returns (REINFORCE++, arXiv:2501.03262, §3): no groups, the baseline is the iteration's
 * mean.
 *
 *     Gₜ = rₜ + γ^Δturn·Gₜ₊₁
 *     A  = (G − mean(G)) / std(G)
 *
 * with mean and standard deviation over all tokens of all episodes. If all returns are equal, A is
 * 0.
 */
export function reinforcePlusPlus(
  episodes: readonly EpisodeSignal[],
  { gamma }: EstimatorSettings,
): TokenAdvantages[] {
  const returns = episodes.map((episode) => {
    const G = episode.rewards.slice();
    for (let t = G.length - 2; t >= 0; t--) {
      G[t] = (G[t] ?? Number.NaN) + discountAfter(episode, t, gamma) * (G[t + 1] ?? Number.NaN);
    }
    return G;
  });
  const magnitude = largestOf(episodes.map(({ rewards }) => magnitudeOf(rewards)));
  return whiten(returns, magnitude).map((advantages) => ({ advantages }));
}
