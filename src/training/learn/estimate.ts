import type { Agent } from '../../agents/agent.ts';
import { estimators } from '../../algorithms/advantages.ts';
import { explainedVariance } from '../../algorithms/explained-variance.ts';
import type { KlEstimator } from '../../algorithms/kl-penalty.ts';
import { klEstimate, penalizedRewards } from '../../algorithms/kl-penalty.ts';
import { joined } from '../../algorithms/returns.ts';
import type { EpisodeSignal } from '../../algorithms/signal.ts';
import type { Config } from '../../config/schema.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import type { Group } from '../play/groups.ts';
import { mean } from '../sums.ts';
import type { TrainingEpisode, WrittenEpisode } from './batch.ts';
import { writtenEpisode } from './batch.ts';
import { scoreEpisodes } from './scoring.ts';
import { afterTheCut, overlongPenalty, tokenRewards } from './signals.ts';

/** Groups of episodes with the inputs of an estimator: E episodes in all, group by group. */
export interface Scored {
  readonly groups: readonly Group[];
  /** (E) */
  readonly written: readonly WrittenEpisode[];
  /** (E) */
  readonly signals: readonly EpisodeSignal[];
  /** (E) log-probabilities under the reference policy, if there is a KL penalty. */
  readonly reference: readonly (readonly number[])[] | null;
}

/** Groups of episodes with their advantages. */
export interface Estimated {
  readonly groups: readonly (readonly TrainingEpisode[])[];
  /**
   * `policy/advantage_max`; `value/…` with a value head, `policy/ref_kl` with a KL penalty in the
   * reward.
   */
  readonly metrics: MetricRow;
}

/** Computes the reward of every token and, if needed, its value and reference log-probability. */
export async function scoreGroups(
  { algorithm }: Config,
  agent: Agent,
  groups: readonly Group[],
): Promise<Scored> {
  const { policy, tokenizer } = agent;
  if (groups.length === 0) return { groups, written: [], signals: [], reference: null };
  const trajectories = groups.flatMap((group) => group.trajectories);
  const groupOf = groups.flatMap((group, g) => group.trajectories.map(() => g));
  const written = trajectories.map((trajectory) => writtenEpisode(trajectory, tokenizer));

  const values =
    estimators[algorithm.advantage].against === 'values'
      ? await scoreValues(agent, groups, written)
      : null;
  const reference =
    algorithm.kl_coef > 0
      ? await scoreEpisodes(policy, written, agent.temperature, 'reference')
      : null;

  const signals = trajectories.map((trajectory, i): EpisodeSignal => {
    const episode = written[i];
    const referenceLogps = reference?.[i]?.logps;
    const value = values?.[i];
    const group = groups[groupOf[i] ?? 0];
    const greedyReward = group?.greedyReward;
    const rewards = tokenRewards(
      trajectory,
      overlongPenalty(trajectory.turns.length, group?.horizon ?? 0, algorithm.overlong_share),
    );
    return {
      group: groupOf[i] ?? 0,
      turns: episode?.turns ?? [],
      rewards:
        referenceLogps !== undefined && algorithm.kl_placement === 'reward'
          ? penalizedRewards(
              rewards,
              episode?.behaviorLogps ?? [],
              referenceLogps,
              algorithm.kl_coef,
              algorithm.kl_estimator,
            )
          : rewards,
      ...(value === undefined ? {} : value),
      ...(greedyReward === undefined ? {} : { greedyReward }),
    };
  });
  return { groups, written, signals, reference: reference?.map(({ logps }) => logps) ?? null };
}

/** Advantages of every token, by the config's estimator. */
export function estimateAdvantages(
  { algorithm }: Config,
  { groups, written, signals, reference }: Scored,
): Estimated {
  if (groups.length === 0) return { groups: [], metrics: {} };
  const estimates = estimators[algorithm.advantage].estimate(signals, {
    gamma: algorithm.gamma,
    lambda: algorithm.gae_lambda,
  });
  const episodes = written.map((episode, i): TrainingEpisode => {
    const { advantages: A, returns } = estimates[i] ?? { advantages: [] };
    const oldValues = signals[i]?.values;
    const referenceLogps = reference?.[i];
    return {
      ...episode,
      advantages: A,
      ...(returns === undefined ? {} : { returns }),
      ...(oldValues === undefined ? {} : { oldValues }),
      ...(referenceLogps === undefined ? {} : { referenceLogps }),
    };
  });
  return {
    groups: groups.map((_, g) => episodes.filter((_episode, i) => signals[i]?.group === g)),
    metrics: {
      'policy/advantage_max': largest(episodes),
      ...(estimators[algorithm.advantage].against === 'values' ? valueMetrics(episodes) : {}),
      ...(algorithm.kl_placement === 'reward' && reference !== null
        ? { 'policy/ref_kl': meanKl(episodes, algorithm.kl_estimator) }
        : {}),
    },
  };
}

/** Values at each token, and after the last one if the horizon truncated the episode. */
async function scoreValues(
  agent: Agent,
  groups: readonly Group[],
  written: readonly WrittenEpisode[],
): Promise<{ readonly values: readonly number[]; readonly bootstrap: number }[]> {
  const trajectories = groups.flatMap((group) => group.trajectories);
  const cut = trajectories.filter(({ truncated }) => truncated);
  const scores = await scoreEpisodes(
    agent.policy,
    [...written, ...cut.map((trajectory) => afterTheCut(trajectory, agent))],
    agent.temperature,
  );
  const after = new Map(
    cut.map((trajectory, i) => [trajectory, scores[written.length + i]?.values[0] ?? 0]),
  );
  return trajectories.map((trajectory, i) => ({
    values: scores[i]?.values ?? [],
    bootstrap: after.get(trajectory) ?? 0,
  }));
}

function valueMetrics(episodes: readonly TrainingEpisode[]): MetricRow {
  const values = joined(episodes.map(({ oldValues }) => oldValues ?? []));
  const returns = joined(episodes.map((episode) => episode.returns ?? []));
  if (values.length === 0) return {};
  const explained = explainedVariance(values, returns);
  return {
    'value/mean': mean(values, (value) => value),
    'value/return_mean': mean(returns, (value) => value),
    ...(Number.isFinite(explained) ? { 'value/explained_variance': explained } : {}),
  };
}

function largest(episodes: readonly TrainingEpisode[]): number {
  let most = 0;
  for (const { advantages } of episodes) {
    for (const A of advantages) most = Math.max(most, Math.abs(A));
  }
  return most;
}

function meanKl(episodes: readonly TrainingEpisode[], estimator: KlEstimator): number {
  const terms = episodes.flatMap(({ behaviorLogps, referenceLogps }) =>
    behaviorLogps.map((logp, t) => klEstimate(logp, referenceLogps?.[t] ?? Number.NaN, estimator)),
  );
  return terms.reduce((sum, term) => sum + term, 0) / terms.length;
}
