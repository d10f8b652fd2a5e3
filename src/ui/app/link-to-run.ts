import { useTwins } from '../learn/twins/state.ts';
import { withOverlays } from '../shelf/runs/overlays.ts';
import { withModel, withParameter, writeAddress } from '../shell/address/address.ts';
import { useLab } from '../shell/lab/store.ts';

/** A link that starts the current run, or the current comparison of two runs, with its overlaid runs. */
export function linkToRun(): string {
  const { playing } = useTwins.getState();
  const lab = useLab.getState();
  const run =
    playing === null ? withModel(writeAddress(lab), lab.base) : writeAddress(playing.base);
  const search = playing === null ? run : withParameter(run, 'compare', playing.compare);
  return `${location.origin}${location.pathname}${withOverlays(search)}`;
}
