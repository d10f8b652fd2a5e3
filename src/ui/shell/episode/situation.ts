import type { EpisodeRecord } from '../../../runs/episode.ts';
import type { Situation } from '../../../runs/policy-reading.ts';

/** What the agent reads before a turn of an episode. */
export function situationAt({ turns }: EpisodeRecord, turn: number): Situation {
  return {
    turns: turns
      .slice(0, turn)
      .map(({ observation, thought, action }) => ({ observation, thought, action })),
    observation: turns[turn]?.observation ?? '',
  };
}
