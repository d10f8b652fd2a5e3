import type { EpisodeRecord } from '../../../runs/episode.ts';
import type { BesideEpisode } from '../../charts/beside/run.ts';
import type { PastEpisodes } from '../../shell/lab/past.ts';

/** An episode of each run, for the same task in the same iteration. */
export interface Pair {
  readonly iteration: number;
  readonly records: readonly [EpisodeRecord, EpisodeRecord];
}

/** The newest iteration in which both runs have an episode of the same task, or null. */
export function newestOfBoth(
  past: readonly PastEpisodes[],
  beside: readonly BesideEpisode[],
): Pair | null {
  for (const { iteration, record } of beside.toReversed()) {
    const own = past.find((one) => one.iteration === iteration)?.latest;
    if (own?.taskId === record.taskId) return { iteration, records: [own, record] };
  }
  return null;
}
