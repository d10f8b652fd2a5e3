import type { Environment } from '../../../envs/types.ts';
import type { IterationDetails, RoundDetail } from '../../../runs/details.ts';
import type { MetricRow } from '../../../runs/metrics.ts';
import { environmentIds, environmentOf } from '../../environments.ts';
import { episodeMetrics } from '../../learn/episode-metrics.ts';
import { updateDetail } from '../../learn/update-metrics.ts';
import { mean, total } from '../../sums.ts';
import type { ImitatedBase } from '../imitation/imitate-base.ts';
import type { Explored } from './explore.ts';
import type { LearnedRound } from './learn.ts';
import type { Sifted } from './sift.ts';

/** Metrics of an iteration; exploration and kept episodes are totals of its round so far. */
export function evolutionMetrics(
  { place, horizon, trajectories }: Explored,
  { kept, thrown, shifts }: Sifted,
  learned: LearnedRound | null,
): MetricRow {
  const explored = kept.length + thrown.length;
  return {
    'rollout/horizon': horizon,
    ...episodeMetrics(trajectories),
    'evolution/round': place.round,
    'evolution/explored': explored,
    'evolution/kept': kept.length,
    ...(explored === 0 ? {} : { 'evolution/kept_share': kept.length / explored }),
    ...(shifts.size === 0 ? {} : { 'evolution/shift': Math.max(...shifts.values()) }),
    ...(learned === null ? {} : learningMetrics(learned)),
  };
}

function learningMetrics({ loss, done }: LearnedRound): MetricRow {
  const updates = done.map(({ stats }) => stats).filter(({ skipped }) => !skipped);
  if (updates.length === 0) return {};
  return {
    'evolution/loss': loss,
    'policy/entropy': total(updates, (u) => u.sums.entropy) / total(updates, (u) => u.rows),
    'policy/grad_norm': mean(updates, (u) => u.gradNorm),
    'policy/grad_norm_max': updates.reduce((most, u) => Math.max(most, u.gradNorm), 0),
    'policy/skipped_updates': done.length - updates.length,
  };
}

/** Data of an iteration besides its metrics. */
export function evolutionDetails(
  { place }: Explored,
  environment: Environment,
  before: ImitatedBase,
  sifted: Sifted,
  learned: LearnedRound | null,
): IterationDetails {
  const all = [...sifted.kept, ...sifted.thrown];
  const kept = new Set(sifted.kept);
  const round: RoundDetail = {
    round: place.round,
    learned: learned !== null,
    environments: environmentIds(environment).map((id) => {
      const own = all.filter(
        ({ trajectory }) => environmentOf(environment, trajectory.task) === id,
      );
      return {
        id,
        explored: own.length,
        kept: own.filter((one) => kept.has(one)).length,
      };
    }),
    ...(before.environments === undefined ? {} : { imitated: before.environments }),
  };
  return { updates: learned?.done.map(updateDetail) ?? [], staleness: [], round };
}
