import { discountAfter, largestOf, magnitudeOf, whiten } from './returns.ts';
import type { EpisodeSignal, EstimatorSettings, TokenAdvantages } from './signal.ts';

/**
 * Generalized advantage estimation (GAE, arXiv:1506.02438, Eq. 11–12, 16) over the agent's tokens;
 * observation tokens are skipped.
 *
 *     δₜ = rₜ + γ^Δturn·Vₜ₊₁ − Vₜ
 *     Aₜ = δₜ + γ^Δturn·λ·Aₜ₊₁
 *     Rₜ = Aₜ + Vₜ
 *
 * γ applies per turn, λ per token, as in verl. After the last token, V is the bootstrap value, one
 * turn later. Returns use the unwhitened A. A is then whitened over all tokens of all episodes; it
 * is 0 if all are equal.
 *
 * @throws {RangeError} if an episode has no bootstrap value or not one value per token.
 */
export function gae(
  episodes: readonly EpisodeSignal[],
  { gamma, lambda }: EstimatorSettings,
): TokenAdvantages[] {
  const estimates = episodes.map((episode) => {
    const { rewards, values, bootstrap } = episode;
    if (values?.length !== rewards.length || bootstrap === undefined) {
      throw new RangeError(
        `gae needs a value for each of ${rewards.length} tokens and a bootstrap, got ${values?.length ?? 'no'} values`,
      );
    }
    const A = new Array<number>(rewards.length).fill(0);
    let lastgaelam = 0;
    let nextvalue = bootstrap;
    for (let t = rewards.length - 1; t >= 0; t--) {
      const discount = discountAfter(episode, t, gamma);
      const value = values[t] ?? Number.NaN;
      const delta = (rewards[t] ?? Number.NaN) + discount * nextvalue - value;
      lastgaelam = delta + discount * lambda * lastgaelam;
      A[t] = lastgaelam;
      nextvalue = value;
    }
    return {
      advantages: A,
      returns: A.map((a, t) => a + (values[t] ?? Number.NaN)),
      magnitude: magnitudeOf(rewards, values, [bootstrap]),
    };
  });
  const magnitude = largestOf(estimates.map((estimate) => estimate.magnitude));
  const whitened = whiten(
    estimates.map(({ advantages }) => advantages),
    magnitude,
  );
  return estimates.map(({ returns }, i) => ({ advantages: whitened[i] ?? [], returns }));
}
