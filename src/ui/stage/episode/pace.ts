/** Timing of episode playback. */

import type { EpisodeRecord } from '../../../runs/episode.ts';

/** Longest and shortest time per turn, and the target duration of an episode. */
const TURN_MS = 420;
const FAST_TURN_MS = 130;
const FILM_MS = 7000;
/** Additional time for long texts: milliseconds per character, and the maximum. */
const READING_MS = 7;
const MOST_READING_MS = 2600;
/** How long the last state of an episode is shown. */
export const END_MS = 1600;

/** The task of a round, in a mixed order that reaches every task. */
export const taskOf = (tasks: readonly string[], round: number, first = 0): string =>
  tasks[(round * (tasks.length % 7 === 0 ? 1 : 7) + first) % tasks.length] ?? '';

type Turns = Pick<EpisodeRecord, 'turns'>;

/** Duration of a turn of this episode. */
export function turnMs({ turns }: Turns, turn: number): number {
  const pace = Math.min(TURN_MS, Math.max(FAST_TURN_MS, FILM_MS / Math.max(1, turns.length)));
  const next = turns[turn];
  const written = next === undefined ? 0 : next.thought.length + next.action.length;
  const read = Math.min(MOST_READING_MS, READING_MS * ((next?.observation.length ?? 0) + written));
  // Short texts that change little, as in a maze, need no additional time.
  return read < 2 * TURN_MS ? pace : Math.max(pace, read);
}

/** Duration of a turn's animation. */
export const glideMs = (record: Turns, turn: number): number =>
  0.6 * Math.min(TURN_MS, turnMs(record, turn));

/** Whether the observations stay equal from this turn to the end, as when an agent stands still. */
export function nothingMoves(
  { turns, finalObservation }: Pick<EpisodeRecord, 'turns' | 'finalObservation'>,
  turn: number,
): boolean {
  const now = turns[turn]?.observation ?? finalObservation;
  return (
    now === finalObservation && turns.slice(turn).every(({ observation }) => observation === now)
  );
}
