import { create } from 'zustand';

/** Which episode the stage shows. The last two need neither a policy nor a GPU. */
export type Source = 'latest' | 'success' | 'failure' | 'evaluation' | 'expert' | 'play';

export interface PlaybackState {
  readonly source: Source;
  /** Turns shown: 0 is the start of the episode. */
  readonly turn: number;
  readonly playing: boolean;
  /** The visitor has taken the film in hand; until then a film that stands still follows the run. */
  readonly held: boolean;
}

export const usePlayback = create<PlaybackState>()(() => ({
  source: 'latest',
  turn: 0,
  held: false,
  // A page that moves by itself is not for everyone.
  playing:
    typeof matchMedia === 'undefined' || !matchMedia('(prefers-reduced-motion: reduce)').matches,
}));

export function choose(source: Source): void {
  usePlayback.setState({ source, turn: 0, held: false });
}

export function showTurn(turn: number): void {
  usePlayback.setState({ turn, playing: false, held: true });
}

export function setPlaying(playing: boolean): void {
  usePlayback.setState({ playing, held: true });
}
