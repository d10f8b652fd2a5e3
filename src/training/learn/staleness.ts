import type { MetricRow } from '../../runs/metrics.ts';
import type { TrainingEpisode } from './batch.ts';

/** Number of tokens by staleness: how many versions their policy is behind the learner. */
export function versionGaps(
  episodes: readonly TrainingEpisode[],
  learner: number,
): Map<number, number> {
  const gaps = new Map<number, number>();
  for (const { versions } of episodes) {
    // Most tokens of an episode have the same version, so the map is read once per run of equal
    // versions.
    for (let from = 0, to = 0; from < versions.length; from = to) {
      const writer = versions[from] ?? 0;
      while (versions[to] === writer) to++;
      gaps.set(learner - writer, (gaps.get(learner - writer) ?? 0) + to - from);
    }
  }
  return gaps;
}

/** Versions behind, in ascending order, each with its token count. */
export function merged(
  histograms: readonly Map<number, number>[],
): [versions: number, tokens: number][] {
  const all = new Map<number, number>();
  for (const histogram of histograms) {
    for (const [gap, tokens] of histogram) all.set(gap, (all.get(gap) ?? 0) + tokens);
  }
  return [...all].sort(([a], [b]) => a - b);
}

export function stalenessMetrics(histogram: readonly (readonly [number, number])[]): MetricRow {
  const oldest = histogram.at(-1);
  if (oldest === undefined) return {};
  const tokens = histogram.reduce((sum, [, n]) => sum + n, 0);
  const versions = histogram.reduce((sum, [gap, n]) => sum + gap * n, 0);
  return { 'policy/staleness': versions / tokens, 'policy/staleness_max': oldest[0] };
}
