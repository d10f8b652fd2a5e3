/** Episodes of which the state is what was said: everything else follows from it. */

import { isTaskNumber } from './numbered-tasks.ts';

export interface SaidState {
  /** The n of the task id `todo_<n>`. */
  readonly task: number;
  /** Oldest first, each cut where it is too long to be read anyway. */
  readonly said: readonly string[];
}

/** True for a value that is such a state, as one that came from storage or a worker. */
export function isSaidState(
  value: unknown,
  mostTurns: number,
  mostCharacters: number,
): value is SaidState {
  if (typeof value !== 'object' || value === null) return false;
  const { task, said } = value as Record<string, unknown>;
  return (
    isTaskNumber(task) &&
    Array.isArray(said) &&
    said.length <= mostTurns &&
    said.every((text) => typeof text === 'string' && text.length <= mostCharacters)
  );
}

/**
 * Reads episodes turn by turn. What follows from a state is kept beside it, so that a turn reads only what
 * was said last.
 *
 * @param begun the episode of a task before anything was said
 * @param next the episode after one more text
 * @param mostCharacters of a text that are kept
 */
export function readEpisodes<Episode>(
  begun: (task: number) => Episode,
  next: (episode: Episode, said: string) => Episode,
  mostCharacters: number,
) {
  const episodes = new WeakMap<SaidState, Episode>();
  const read = (state: SaidState): Episode => {
    let episode = episodes.get(state);
    if (episode === undefined) {
      episode = state.said.reduce(next, begun(state.task));
      episodes.set(state, episode);
    }
    return episode;
  };
  return {
    read,
    /** The state after a text. */
    said(state: SaidState, text: string): SaidState {
      const kept = text.slice(0, mostCharacters);
      const after = { task: state.task, said: [...state.said, kept] };
      episodes.set(after, next(read(state), kept));
      return after;
    },
  };
}
