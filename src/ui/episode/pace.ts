/** How long the turns of a film stay. */

import type { EpisodeRecord } from '../../runs/episode.ts';

/** Longest and shortest time between two turns of a film, and the time a whole film should take. */
const TURN_MS = 420;
const FAST_TURN_MS = 130;
const FILM_MS = 7000;
/** A turn with much to read stays longer: milliseconds for each of its characters, and at most. */
const READING_MS = 7;
const MOST_READING_MS = 2600;
/** How long the last picture stays. */
export const END_MS = 1600;

type Turns = Pick<EpisodeRecord, 'turns'>;

/** How long a turn of this episode stays before the next one. */
export function turnMs({ turns }: Turns, turn: number): number {
  const pace = Math.min(TURN_MS, Math.max(FAST_TURN_MS, FILM_MS / Math.max(1, turns.length)));
  const next = turns[turn];
  const written = next === undefined ? 0 : next.thought.length + next.action.length;
  const read = Math.min(MOST_READING_MS, READING_MS * ((next?.observation.length ?? 0) + written));
  // Short texts that change little from turn to turn, as a maze's, are taken in with the picture.
  return read < 2 * TURN_MS ? pace : Math.max(pace, read);
}

/** Time of a turn in which its picture moves. */
export const glideMs = (record: Turns, turn: number): number =>
  0.6 * Math.min(TURN_MS, turnMs(record, turn));

/** Whether the environment says the same from this turn to the end, as where an agent stands still. */
export function nothingMoves(
  { turns, finalObservation }: Pick<EpisodeRecord, 'turns' | 'finalObservation'>,
  turn: number,
): boolean {
  const now = turns[turn]?.observation ?? finalObservation;
  return (
    now === finalObservation && turns.slice(turn).every(({ observation }) => observation === now)
  );
}
