/** Episodes of earlier iterations, for the crosshair and the stage. */

import type { EpisodeRecord } from '../../../runs/episode.ts';
import type { ShownEpisodes } from '../../../runs/record.ts';

/** An episode of each kind from one iteration; null for a kind that it lacks. */
export type PastEpisodes = { readonly iteration: number } & {
  readonly [Kind in keyof ShownEpisodes]: EpisodeRecord | null;
};

/** Iterations kept; beyond that, the one with the closest neighbors is dropped. */
export const KEPT_PAST = 64;

/** Adds episodes of an iteration. */
export function withPast(
  past: readonly PastEpisodes[],
  iteration: number,
  episodes: Partial<Omit<PastEpisodes, 'iteration'>>,
): readonly PastEpisodes[] {
  const newest = past.at(-1);
  if (newest?.iteration === iteration) return [...past.slice(0, -1), { ...newest, ...episodes }];
  const none = { latest: null, success: null, failure: null, evaluation: null };
  const all = [...past, { iteration, ...none, ...episodes }];
  return all.length > KEPT_PAST ? all.toSpliced(closest(all), 1) : all;
}

/** Index of the inner item whose neighbors are closest to each other. */
function closest(past: readonly PastEpisodes[]): number {
  const at = (place: number) => past[place]?.iteration ?? Number.POSITIVE_INFINITY;
  let best = 1;
  for (let place = 2; place < past.length - 1; place++) {
    if (at(place + 1) - at(place - 1) < at(best + 1) - at(best - 1)) best = place;
  }
  return best;
}

/** The newest episode of a kind up to an iteration, with its iteration. */
export function pastEpisode(
  past: readonly PastEpisodes[],
  kind: keyof ShownEpisodes,
  iteration: number,
): { readonly iteration: number; readonly record: EpisodeRecord } | null {
  const found = past.findLast((one) => one.iteration <= iteration && one[kind] !== null);
  const record = found?.[kind] ?? null;
  return found === undefined || record === null ? null : { iteration: found.iteration, record };
}
