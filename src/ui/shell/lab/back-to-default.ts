import { defaultPreset } from '../../../config/preset-names.ts';
import { useReplacedSettings } from '../address/replaced.ts';
import { forgetKept, writeKept } from '../browser/kept.ts';
import { SET_ASIDE, startPreset } from './commands.ts';
import { useLab } from './store.ts';

/** Starts the default run without stored preferences, after the page failed to render. Stored runs remain. */
export function backToDefault(): void {
  const { runId } = useLab.getState();
  forgetKept();
  if (runId !== null) writeKept(SET_ASIDE, runId);
  useReplacedSettings.setState({ notes: [] });
  startPreset(defaultPreset);
}
