import { estimators } from '../../algorithms/advantages.ts';
import { type RowStatisticName, reportedStatistics } from '../../algorithms/row-statistics.ts';
import type { Config } from '../../config/schema.ts';
import type { UpdateStats, Zones } from '../../policy/types.ts';
import type { ByZone, UpdateDetail } from '../../runs/details.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import { mean, total } from '../sums.ts';
import type { DoneUpdate } from './updates.ts';

/** Metrics of an iteration's updates; skipped ones are only counted. */
export function updateMetrics(done: readonly DoneUpdate[], { algorithm }: Config): MetricRow {
  const updates = done.map(({ stats }) => stats).filter(({ skipped }) => !skipped);
  const counted: MetricRow = { 'policy/skipped_updates': done.length - updates.length };
  if (updates.length === 0) return counted;

  const rows = total(updates, (u) => u.rows);
  const perToken = (of: (update: UpdateStats) => number) => total(updates, of) / rows;
  const perUpdate = (of: (update: UpdateStats) => number) => mean(updates, of);
  const sumPerToken = (name: RowStatisticName) => perToken((u) => u.sums[name]);
  // Not in the order of the metric registry: importing it would enlarge every worker's initial load.
  const reported: MetricRow = Object.fromEntries(
    reportedStatistics.map(([name, key]) => [key, sumPerToken(name)]),
  );
  const clippedDual = sumPerToken('clippedDual');
  const shares = updates.map((u) => u.positiveShare).filter(Number.isFinite);
  return {
    ...reported,
    'policy/loss': perUpdate((u) => u.loss),
    'policy/clip_fraction': sumPerToken('clippedLow') + sumPerToken('clippedHigh') + clippedDual,
    ...(algorithm.dual_clip > 0 ? { 'policy/clip_fraction_dual': clippedDual } : {}),
    'policy/clip_low': perUpdate((u) => u.clipLow),
    'policy/clip_high': perUpdate((u) => u.clipHigh),
    ...(shares.length > 0 ? { 'policy/positive_share': mean(shares, (share) => share) } : {}),
    ...(algorithm.kl_coef > 0 && algorithm.kl_placement === 'loss'
      ? { 'policy/ref_kl': sumPerToken('refKl') }
      : {}),
    'policy/grad_norm': perUpdate((u) => u.gradNorm),
    'policy/grad_norm_max': updates.reduce((most, u) => Math.max(most, u.gradNorm), 0),
    ...(estimators[algorithm.advantage].against === 'values'
      ? { 'value/loss': sumPerToken('valueLoss') }
      : {}),
    ...counted,
  };
}

/** The record of one update, for the row's details. */
export function updateDetail({ update, stats }: DoneUpdate): UpdateDetail {
  return {
    update,
    loss: stats.loss,
    entropy: stats.sums.entropy / stats.rows,
    clipLow: stats.clipLow,
    clipHigh: stats.clipHigh,
    positiveShare: stats.positiveShare,
    clippedLow: stats.sums.clippedLow / stats.rows,
    clippedHigh: stats.sums.clippedHigh / stats.rows,
    gradNorm: stats.gradNorm,
    skipped: stats.skipped,
    ...(stats.cause === null ? {} : { cause: stats.cause }),
    positiveCounts: byZone(stats.positiveCounts),
    negativeCounts: byZone(stats.negativeCounts),
    positivePull: byZone(stats.positivePull),
    negativePull: byZone(stats.negativePull),
  };
}

function byZone({ below, inside, above }: Zones): ByZone {
  return [below, inside, above];
}
