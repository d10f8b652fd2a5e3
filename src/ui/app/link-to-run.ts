import { useTwins } from '../learn/twins/state.ts';
import { withOverlays } from '../shelf/runs/overlays.ts';
import { withParameter, writeAddress } from '../shell/address/address.ts';
import { useLab } from '../shell/lab/store.ts';

/** A link that starts the current run, or the current comparison of two runs, with its overlaid runs. */
export function linkToRun(): string {
  const { playing } = useTwins.getState();
  const run = writeAddress(playing?.base ?? useLab.getState());
  const search = playing === null ? run : withParameter(run, 'compare', playing.compare);
  return `${location.origin}${location.pathname}${withOverlays(search)}`;
}
