/** Begins and ends a comparison of two agents: one is the present run, the other trains beside it. */

import { findPreset } from '../../config/presets.ts';
import type { AddressedRun } from '../address/address.ts';
import { nothingYet } from '../beside/run.ts';
import { type TrainedBeside, trainBeside } from '../beside/train.ts';
import { startRun } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';
import { planTwins } from './plan.ts';
import { useTwins } from './state.ts';

let second: TrainedBeside | null = null;

/**
 * Begins what `compare` of an address asks for. The address stays as it is, so that whoever opens or
 * reloads it sees the same two.
 *
 * @throws {CompareError} for a comparison that cannot be had.
 */
export function beginTwins(compare: string, { preset, config }: AddressedRun): void {
  const [one, other] = planTwins(compare, config);
  endTwins();
  const address = location.href;
  startRun(one.config, preset, false, undefined, `${findPreset(preset).title}, ${one.name}`);
  history.replaceState(null, '', address);
  const { runId } = useLab.getState();
  if (runId === null) return;
  useTwins.setState({ playing: { names: [one.name, other.name], runId, beside: nothingYet } });
  second = trainBeside(other.config, other.name, (beside) => {
    const { playing } = useTwins.getState();
    if (playing !== null) useTwins.setState({ playing: { ...playing, beside } });
  });
}

/** Takes the second agent away; the first goes on. */
export function endTwins(): void {
  if (useTwins.getState().playing === null) return;
  second?.end();
  second = null;
  useTwins.setState({ playing: null });
}

useLab.subscribe(({ runId, status, pausing }, before) => {
  const { playing } = useTwins.getState();
  if (playing === null) return;
  if (playing.runId !== runId) endTwins();
  else if (pausing && !before.pausing) second?.pause();
  else if (status === 'running' && before.status === 'paused') second?.resume();
});
