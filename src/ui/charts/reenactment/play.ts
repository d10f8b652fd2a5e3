/**
 * Starts and ends re-enactments: one run on the page, one beside it, and the original run overlaid
 * on both.
 */

import { findPreset } from '../../../config/presets.ts';
import type { Finding } from '../../../diagnosis/finding.ts';
import type { ShownLog } from '../../../exchange/logs/shown-log.ts';
import { startRun } from '../../shell/lab/commands.ts';
import { useLab } from '../../shell/lab/store.ts';
import { discardEdits } from '../../shell/settings/store-settings.ts';
import { nothingYet } from '../beside/run.ts';
import { type TrainedBeside, trainBeside } from '../beside/train.ts';
import { type ForeignRun, layForeign } from '../foreign.ts';
import { foreignOfLog, foreignOfRows } from './foreign-of.ts';
import { planReenactment } from './plan.ts';
import { useReenactment } from './state.ts';

/** Re-enacts a finding of a log. */
export const reenactLog = (finding: Finding, log: ShownLog): Promise<void> =>
  begin(finding, foreignOfLog(log));

/** Re-enacts a finding of the current run, which is replaced. */
export function reenactOwn(finding: Finding): Promise<void> {
  const { name, rows } = useLab.getState();
  return begin(finding, foreignOfRows(name, rows, finding.interval));
}

let cured: TrainedBeside | null = null;

/** Removes the second run and the overlay; the current run continues. */
export function endReenactment(): void {
  if (useReenactment.getState().playing === null) return;
  cured?.end();
  cured = null;
  useReenactment.setState({ playing: null });
  layForeign(null);
}

useLab.subscribe(({ runId }) => {
  const { playing } = useReenactment.getState();
  if (playing !== null && playing.runId !== runId) endReenactment();
});

async function begin({ mode, remedies }: Finding, foreign: ForeignRun): Promise<void> {
  const plan = await planReenactment(mode, remedies);
  if (plan === null) return;
  discardEdits();
  startRun(plan.failing, plan.preset);
  const { runId } = useLab.getState();
  if (runId === null) return;
  const { cause, cure } = plan;
  const { title: preset } = findPreset(plan.preset);
  useReenactment.setState({
    playing: { mode, preset, runId, cause, cure, of: foreign.name, beside: nothingYet },
  });
  layForeign(foreign);
  cured = trainBeside(plan.cured, `With ${cure}`, (beside) => {
    const { playing } = useReenactment.getState();
    if (playing !== null) useReenactment.setState({ playing: { ...playing, beside } });
  });
}
