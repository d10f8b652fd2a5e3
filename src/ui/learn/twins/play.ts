/** Starts and ends a comparison of two agents: the current run and a second run in its own worker. */

import { findPreset } from '../../../config/presets.ts';
import { nothingYet } from '../../charts/beside/run.ts';
import { type TrainedBeside, trainBeside } from '../../charts/beside/train.ts';
import type { AddressedRun } from '../../shell/address/address.ts';
import { visit } from '../../shell/address/visits.ts';
import { startRun } from '../../shell/lab/commands.ts';
import { useLab } from '../../shell/lab/store.ts';
import { planTwins } from './plan.ts';
import { useTwins } from './state.ts';

let second: TrainedBeside | null = null;

/**
 * Starts the comparison of an address. The address bar keeps `compare`, so a reload starts it again.
 *
 * @throws {CompareError} for an invalid comparison.
 */
export function beginTwins(compare: string, base: AddressedRun): void {
  const { preset, config } = base;
  const [one, other] = planTwins(compare, config);
  endTwins();
  const address = location.href;
  startRun(one.config, preset, false, undefined, `${findPreset(preset).title}, ${one.name}`);
  const { runId } = useLab.getState();
  visit(address, { entry: 'replace', runId });
  if (runId === null) return;
  const names = [one.name, other.name] as const;
  useTwins.setState({ playing: { names, runId, beside: nothingYet, compare, base } });
  second = trainBeside(other.config, other.name, (beside) => {
    const { playing } = useTwins.getState();
    if (playing !== null) useTwins.setState({ playing: { ...playing, beside } });
  });
}

/** Ends the second agent; the first continues. */
export function endTwins(): void {
  if (useTwins.getState().playing === null) return;
  second?.end();
  second = null;
  useTwins.setState({ playing: null });
}

useLab.subscribe(({ runId }) => {
  const { playing } = useTwins.getState();
  if (playing !== null && playing.runId !== runId) endTwins();
});
