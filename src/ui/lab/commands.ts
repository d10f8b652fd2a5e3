/** What a visitor does with runs: begins and opens them, lets them go on, stops them, moves them. */

import type { LiveValues } from '../../config/changes.ts';
import { presetConfig } from '../../config/presets.ts';
import type { Config } from '../../config/schema.ts';
import type { DeviceChoice, InitialAgent } from '../../lab/protocol.ts';
import { newId } from '../../runs/new-id.ts';
import { writeAddress } from '../address/address.ts';
import { withEmbedded } from '../address/embedded.ts';
import { useReplacedSettings } from '../address/replaced.ts';
import { keepDeviceChoice, useDeviceChoice, withDevice } from '../device/choice.ts';
import { withLesson } from '../lessons/store.ts';
import { withDepth } from '../page/depth.ts';
import { withOverlays } from '../runs/overlays.ts';
import { hasLocks, openElsewhere, runStore } from '../runs/runs-storage.ts';
import { showKeptRun } from './entering.ts';
import { send } from './link.ts';
import { beginRun, defaultRunName, useLab } from './store.ts';

/** Begins a run from random weights, or those of an agent, and forgets the one before. */
export function startRun(
  config: Config,
  preset: string,
  paused = false,
  initial?: InitialAgent,
  called = defaultRunName(preset, config),
): void {
  writeRunAddress(config, preset);
  if (useLab.getState().cannotTrain) {
    // The settings can still be tried out; there is nothing to train on.
    useLab.setState({ config, preset, status: 'asked' });
    return;
  }
  const runId = newId();
  beginRun(runId, config, preset, called);
  const weights = initial === undefined ? {} : { initial };
  const keep = { name: called, preset, stored: false };
  const device = useDeviceChoice.getState().choice;
  send({ type: 'start', runId, config, device, paused, keep, ...weights });
}

/** As the worker says it where there are locks. */
const openInAnotherTab = {
  name: 'RunOpenElsewhereError',
  message: 'This run is open in another tab.',
  advice: 'Go on in the other tab, or close it and reload this page.',
};

/**
 * Shows a kept run with its curve, ready to go on where it was kept last, or going on.
 *
 * @param asked whether it is known that no other tab has it open; with locks the worker finds out
 */
export async function openKeptRun(id: string, paused = true, asked = hasLocks): Promise<void> {
  const kept = await (await runStore()).read(id);
  if (kept === null) return;
  const { name, preset, config, replaced } = kept.entry;
  const mine = id === useLab.getState().runId;
  const elsewhere = !asked && !mine && (await openElsewhere(id));
  if (replaced !== undefined)
    useReplacedSettings.setState({ of: 'this kept run', notes: replaced });
  writeRunAddress(config, preset);
  showKeptRun(kept);
  if (elsewhere) {
    useLab.setState({ status: 'failed', error: openInAnotherTab });
    return;
  }
  if (useLab.getState().cannotTrain) {
    useLab.setState({ status: 'stopped' });
    return;
  }
  const device = useDeviceChoice.getState().choice;
  const keep = { name, preset, stored: true };
  send({ type: 'start', runId: id, config, device, paused, keep });
}

/** Computes on another device from here on, also in later visits; the present run goes on there. */
export function chooseDevice(device: DeviceChoice): void {
  keepDeviceChoice(device);
  const { runId, status, config, preset, cannotTrain, rows, storage } = useLab.getState();
  if (!cannotTrain && (status === 'idle' || status === 'asked')) return;
  writeRunAddress(config, preset);
  if (cannotTrain) {
    useLab.setState({ cannotTrain: false });
    const isKept = runId !== null && rows.length > 0 && storage?.state === 'kept';
    if (isKept) void openKeptRun(runId, false);
    else startRun(config, preset);
  } else if (runId !== null) send({ type: 'move', runId, device });
}

/** Changes settings of the present run from its next iteration on. */
export function changeRun(values: LiveValues): void {
  const { runId } = useLab.getState();
  if (runId !== null) send({ type: 'change', runId, values });
}

/** For tests: the GPU is lost. */
export function loseGpu(): void {
  const { runId } = useLab.getState();
  if (runId !== null) send({ type: 'lose-gpu', runId });
}

/** What an address says beside the run, each of which adds its own. */
const beside = [withOverlays, withDevice, withDepth, withEmbedded, withLesson];

function writeRunAddress(config: Config, preset: string): void {
  const run = writeAddress({ preset, config });
  const whole = beside.reduce((address, add) => add(address), run);
  history.replaceState(null, '', `${location.pathname}${whole}`);
}

export function startPreset(name: string): void {
  startRun(presetConfig(name), name);
}

/** The present run's config once more, from random weights, waiting at iteration 0. */
export function resetRun(): void {
  const { config, preset } = useLab.getState();
  startRun(config, preset, true);
}

export function pauseRun(): void {
  const { runId, status } = useLab.getState();
  if (runId === null || (status !== 'running' && status !== 'starting')) return;
  useLab.setState({ pausing: true });
  send({ type: 'pause', runId });
}

/** Continues a paused run, takes back a pause, or begins anew when the run is over. */
export function resumeRun(): void {
  const { runId, status, config, preset } = useLab.getState();
  if (runId === null || status === 'finished' || status === 'failed' || status === 'stopped') {
    startRun(config, preset);
    return;
  }
  useLab.setState({ pausing: false });
  send({ type: 'resume', runId });
}

/** One iteration of a paused run. */
export function stepRun(): void {
  const { runId, status } = useLab.getState();
  if (runId === null || status !== 'paused') return;
  useLab.setState({ pausing: true });
  send({ type: 'step', runId });
}

/** One phase of an iteration of a paused run, or the way to the loss of its last update. */
export function stepPhase(to: 'next' | 'last-loss' = 'next'): void {
  const { runId, status } = useLab.getState();
  if (runId === null || status !== 'paused') return;
  useLab.setState({ pausing: true });
  send({ type: 'step-phase', runId, to });
}
