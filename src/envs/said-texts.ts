/** Episodes whose state is the list of the agent's texts. Everything else is derived from it. */

import { isTaskNumber } from './numbered-tasks.ts';

export interface TranscriptState {
  /** The n of the task id `todo_<n>`. */
  readonly task: number;
  /** The agent's texts, oldest first, each truncated to the maximum length that is parsed. */
  readonly said: readonly string[];
}

/** Whether a value from storage or a worker is such a state. */
export function isTranscriptState(
  value: unknown,
  mostTurns: number,
  mostCharacters: number,
): value is TranscriptState {
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
 * Derives episodes from states. The derived episode is cached per state, so that each turn only processes the
 * last text.
 * @param begun the episode of a task before the first text
 * @param next the episode after one more text
 * @param mostCharacters longer texts are cut to this length
 */
export function readEpisodes<Episode>(
  begun: (task: number) => Episode,
  next: (episode: Episode, said: string) => Episode,
  mostCharacters: number,
) {
  const episodes = new WeakMap<TranscriptState, Episode>();
  const read = (state: TranscriptState): Episode => {
    let episode = episodes.get(state);
    if (episode === undefined) {
      episode = state.said.reduce(next, begun(state.task));
      episodes.set(state, episode);
    }
    return episode;
  };
  return {
    read,
    /** The state after one more text. */
    said(state: TranscriptState, text: string): TranscriptState {
      const kept = text.slice(0, mostCharacters);
      const after = { task: state.task, said: [...state.said, kept] };
      episodes.set(after, next(read(state), kept));
      return after;
    },
  };
}
