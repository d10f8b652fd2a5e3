import { episodeReward } from './returns.ts';
import type { EpisodeSignal, EstimatorSettings, TokenAdvantages } from './signal.ts';

/**
 * Advantages without a baseline (REINFORCE, Williams 1992): A = R for every token, R discounted
 * from the episode's start by γ per turn. With rewards of 0 and 1, and one update of fresh
 * episodes, this maximizes the likelihood of successful episodes, as in STaR (arXiv:2203.14465).
 */
export function reinforce(
  episodes: readonly EpisodeSignal[],
  { gamma }: EstimatorSettings,
): TokenAdvantages[] {
  return episodes.map((episode) => {
    const R = episodeReward(episode, gamma);
    return { advantages: episode.rewards.map(() => R) };
  });
}
