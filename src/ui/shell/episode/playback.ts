import { create } from 'zustand';
import type { Replay } from '../../../exchange/trajectories/trajectory-import.ts';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import { whenForgotten } from '../browser/kept.ts';
import { reducesMotion } from '../comfort/motion.ts';
import { useLab } from '../lab/store.ts';

/**
 * What the stage shows: one episode, or one for each start. The last three sources need neither a
 * policy nor a GPU.
 */
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
  /** Its id in the list. */
  readonly key: string;
  readonly record: EpisodeRecord;
  readonly replay: Replay;
  /** Null for an imported one. */
  readonly iteration: number | null;
  /** Its task id in the list. */
  readonly name: string;
}

interface PlaybackState {
  /** Null until the user chooses one. */
  readonly source: Source | null;
  /** The episode for the source `chosen`. */
  readonly chosen: ChosenEpisode | null;
  /** The environment that expert and user play, among the run's; null for the first. */
  readonly environmentId: string | null;
  /** Their task; null plays the tasks one after another. */
  readonly task: string | null;
  /** Turns shown: 0 is the start of the episode. */
  readonly turn: number;
  readonly playing: boolean;
  /** The user controls the playback; until then a stopped playback follows the run. */
  readonly held: boolean;
}

/** Playback that follows the run. */
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
  // Respects the user's preference for reduced motion.
  playing: !reducesMotion(),
}));

whenForgotten(() => usePlayback.setState(following));

// A task belongs to its environment; a game or a chosen episode belongs to its run, and the next run
// starts with its own on the stage.
useLab.subscribe((lab, before) => {
  const [env, envBefore] = [lab.config.env, before.config.env];
  if (env !== envBefore && JSON.stringify(env) !== JSON.stringify(envBefore)) {
    usePlayback.setState({ environmentId: null, task: null });
  }
  if (lab.runId === before.runId) return;
  const { source, chosen } = usePlayback.getState();
  const own = chosen?.iteration;
  if (source === 'play' || (source === 'chosen' && own)) usePlayback.setState(following);
  else if (own) usePlayback.setState({ chosen: null });
});

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
