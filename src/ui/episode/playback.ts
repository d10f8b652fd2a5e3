import { create } from 'zustand';
import type { EpisodeRecord } from '../../runs/episode.ts';
import type { Replay } from '../../runs/trajectory-import.ts';
import { whenForgotten } from '../browser/kept.ts';

/** Which episode the stage shows, or one from every start. The last three need neither a policy nor a GPU. */
export type Source =
  | 'starts'
  | 'latest'
  | 'success'
  | 'failure'
  | 'evaluation'
  | 'chosen'
  | 'expert'
  | 'play';

/** An episode chosen from the list of trajectories. */
export interface ChosenEpisode {
  /** Names it in the list. */
  readonly key: string;
  readonly record: EpisodeRecord;
  readonly replay: Replay;
  /** Null for one from a file. */
  readonly iteration: number | null;
  /** Its task as the list names it. */
  readonly name: string;
}

export interface PlaybackState {
  /** Null until the visitor has chosen one. */
  readonly source: Source | null;
  /** What the source `chosen` shows. */
  readonly chosen: ChosenEpisode | null;
  /** The environment that the expert and the visitor play, of those of the run; null: the first. */
  readonly environmentId: string | null;
  /** Their task; null: one after the other. */
  readonly task: string | null;
  /** Turns shown: 0 is the start of the episode. */
  readonly turn: number;
  readonly playing: boolean;
  /** The visitor has taken the film in hand; until then a film that stands still follows the run. */
  readonly held: boolean;
}

/** The film that follows the run. */
const following = {
  source: null,
  chosen: null,
  environmentId: null,
  task: null,
  turn: 0,
  held: false,
} as const;

export const usePlayback = create<PlaybackState>()(() => ({
  ...following,
  // A page that moves by itself is not for everyone.
  playing:
    typeof matchMedia === 'undefined' || !matchMedia('(prefers-reduced-motion: reduce)').matches,
}));

whenForgotten(() => usePlayback.setState(following));

export function choose(source: Source): void {
  usePlayback.setState({ source, turn: 0, held: false });
}

export function chooseEnvironment(environmentId: string): void {
  usePlayback.setState({ environmentId, task: null, turn: 0, held: false });
}

export function chooseTask(task: string | null): void {
  usePlayback.setState({ task, turn: 0, held: false });
}

/** Shows an episode of the list from its start. */
export function chooseEpisode(chosen: ChosenEpisode): void {
  usePlayback.setState({ source: 'chosen', chosen, turn: 0, held: true });
}

export function showTurn(turn: number): void {
  usePlayback.setState({ turn, playing: false, held: true });
}

export function setPlaying(playing: boolean): void {
  usePlayback.setState({ playing, held: true });
}
