/** Filters and sorts the episodes of a file. */

import type { EpisodeFlag } from './detectors.ts';
import type { EpisodeEntry, Rollouts } from './read-rollouts.ts';

export const episodeOrders = ['highest', 'lowest', 'longest', 'shortest', 'file'] as const;
export type EpisodeOrder = (typeof episodeOrders)[number];

export interface EpisodeQuery {
  /** Range of steps. */
  readonly steps?: readonly [from: number, to: number];
  readonly task?: string;
  readonly flag?: EpisodeFlag;
  readonly order?: EpisodeOrder;
  /** Only episodes whose text contains it, ignoring case. */
  readonly search?: string;
  readonly most?: number;
}

const by: Readonly<Record<Exclude<EpisodeOrder, 'file'>, (one: EpisodeEntry) => number>> = {
  highest: ({ reward }) => -(reward ?? Number.NEGATIVE_INFINITY),
  lowest: ({ reward }) => reward ?? Number.POSITIVE_INFINITY,
  longest: ({ length }) => -length,
  shortest: ({ length }) => length,
};

/** Filters by everything except text. */
export function selected(
  entries: readonly EpisodeEntry[],
  { steps, task, flag, order = 'file' }: EpisodeQuery,
): readonly EpisodeEntry[] {
  const found = entries.filter(
    (one) =>
      (steps === undefined ||
        (one.step !== null && one.step >= steps[0] && one.step <= steps[1])) &&
      (task === undefined || one.task === task) &&
      (flag === undefined || one.flags.includes(flag)),
  );
  if (order === 'file') return found;
  const key = by[order];
  return found.sort((a, b) => key(a) - key(b) || a.id - b.id);
}

/** Like `selected`, but also filters by text, which is read from the file one episode at a time. */
export async function searched(
  rollouts: Rollouts,
  query: EpisodeQuery,
): Promise<readonly EpisodeEntry[]> {
  const { search, most = Number.POSITIVE_INFINITY } = query;
  const all = selected(rollouts.entries, query);
  if (search === undefined || search === '') return all.slice(0, most);
  const wanted = search.toLowerCase();
  const found: EpisodeEntry[] = [];
  for (const entry of all) {
    if (found.length >= most) break;
    const episode = await rollouts.read(entry.id);
    const text = episode.messages.map((one) => one.text).join('\n');
    if (text.toLowerCase().includes(wanted)) found.push(entry);
  }
  return found;
}
