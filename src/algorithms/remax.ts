import { episodeReward } from './returns.ts';
import type { EpisodeSignal, EstimatorSettings, TokenAdvantages } from './signal.ts';

/**
 * Advantages against the greedy episode of the same task (ReMax, arXiv:2310.10505, §4.1).
 *
 *     A = R − R_greedy
 *
 * for every token. R is discounted from the episode's start by γ per turn, and R_greedy must be
 * too. verl subtracts R_greedy from the reward-to-go instead; with a single reward at the end,
 * which both assume, this is equivalent.
 *
 * @throws {RangeError} if an episode has no greedy reward.
 */
export function remax(
  episodes: readonly EpisodeSignal[],
  { gamma }: EstimatorSettings,
): TokenAdvantages[] {
  return episodes.map((episode) => {
    const { greedyReward, rewards } = episode;
    if (greedyReward === undefined) {
      throw new RangeError('remax needs the reward of the greedy episode on the same task');
    }
    const A = episodeReward(episode, gamma) - greedyReward;
    return { advantages: rewards.map(() => A) };
  });
}
