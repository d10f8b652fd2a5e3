/** The user's commands: start, open, pause, resume and change runs. */

import type { LiveValues } from '../../../config/changes.ts';
import { presetConfig } from '../../../config/presets.ts';
import type { Config } from '../../../config/schema.ts';
import type { DeviceChoice, InitialAgent, RunId } from '../../../lab/protocol.ts';
import type { KeptBase } from '../../../runs/checkpoint.ts';
import { newId } from '../../../runs/new-id.ts';
import type { PhaseStop } from '../../../runs/phase-facts.ts';
import { withModel, writeAddress } from '../address/address.ts';
import { withAddressParts } from '../address/parts.ts';
import { useReplacedSettings } from '../address/replaced.ts';
import { visit } from '../address/visits.ts';
import { readKept, writeKept } from '../browser/kept.ts';
import { asksFirst } from '../code/allowed.ts';
import { keepDeviceChoice, useDeviceChoice } from '../device/choice.ts';
import { showKeptRun } from './entering.ts';
import { initialAgentOf, keepInitialAgent } from './initial-agents.ts';
import { send } from './link.ts';
import { hasLocks, openElsewhere, runStore } from './run-storage.ts';
import { beginRun, blank, defaultRunName, hasBrokenOff, useLab } from './store.ts';

/** Storage key of a run that is not reopened automatically, because the page could not show it. */
export const SET_ASIDE = 'set-aside';

let newest = 0;

/** The run shown last and its initial agent, for a restart; null if it began with other weights. */
let startedWith: { readonly runId: RunId; readonly initial: InitialAgent } | null = null;

/**
 * Call this before loading a run to show.
 *
 * @returns a function that tells whether this is still the newest request; if not, drop the run
 */
export function newRequest(): () => boolean {
  const mine = ++newest;
  return () => mine === newest;
}

/**
 * Starts a run from random weights, an initial agent or a pretrained model; it replaces the current run.
 * Waits for the visitor if its code or its server is not allowed yet.
 */
export function startRun(
  config: Config,
  preset: string,
  paused = false,
  initial?: InitialAgent,
  name = defaultRunName(preset, config),
  base: KeptBase | null = null,
): void {
  if (asksFirst(config.env, () => startRun(config, preset, paused, initial, name, base))) {
    // A run in progress continues meanwhile.
    if (useLab.getState().runId === null) {
      showRunAddress(config, preset, null, base);
      useLab.setState({ config, preset, base, status: 'asked' });
    }
    return;
  }
  newRequest();
  if (useReplacedSettings.getState().of === 'this stored run')
    useReplacedSettings.setState({ notes: [] });
  const runId = newId();
  showRunAddress(config, preset, runId, base);
  const { cannotTrain, runId: current } = useLab.getState();
  if (cannotTrain) {
    // Settings can still be explored without a device.
    if (current !== null) send({ type: 'stop', runId: current });
    useLab.setState({ ...blank, runId: null, config, preset, name, base, status: 'asked' });
    return;
  }
  beginRun(runId, config, preset, name, base, initial !== undefined);
  startedWith = initial === undefined ? null : { runId, initial };
  if (initial !== undefined) void keepInitialAgent(runId, initial);
  const weights = { ...(initial && { initial }), ...(base && { base }) };
  const keep = { name, preset, stored: false };
  const device = useDeviceChoice.getState().choice;
  send({ type: 'start', runId, config, device, paused, keep, ...weights });
}

/** Shown in browsers without locks; in others the worker reports the same error. */
const openInAnotherTab = {
  name: 'RunOpenElsewhereError',
  message: 'This run is open in another tab.',
  advice: 'Continue in the other tab, or close it and reload this page.',
};

/**
 * Opens a stored run with its curves, at its newest checkpoint.
 *
 * @param checked skips asking other tabs whether they have the run open; with locks the worker checks
 */
export async function openKeptRun(id: string, paused = true, checked = hasLocks): Promise<void> {
  const isNewest = newRequest();
  const [kept, initial] = await Promise.all([
    runStore().then((store) => store.read(id)),
    startedWith?.runId === id ? startedWith.initial : initialAgentOf(id),
  ]);
  if (kept === null || !isNewest()) return;
  const { name, preset, config, replaced, base = null } = kept.entry;
  if (asksFirst(config.env, () => void openKeptRun(id, paused, checked))) {
    if (useLab.getState().runId === null)
      useLab.setState({ config, preset, base, status: 'asked' });
    return;
  }
  const lab = useLab.getState();
  // The run may have failed because another tab has it open.
  const mine = id === lab.runId && lab.status !== 'failed';
  const elsewhere = !checked && !mine && (await openElsewhere(id));
  if (!isNewest()) return;
  if (replaced !== undefined)
    useReplacedSettings.setState({ of: 'this stored run', notes: replaced });
  else if (useReplacedSettings.getState().of !== 'the address')
    useReplacedSettings.setState({ notes: [] });
  if (readKept(SET_ASIDE) === id) writeKept(SET_ASIDE, '');
  showRunAddress(config, preset, id, base);
  showKeptRun(kept, initial !== undefined);
  startedWith = initial === undefined ? null : { runId: id, initial };
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
  send({ type: 'start', runId: id, config, device, paused, keep, ...(base && { base }) });
}

/**
 * Selects the device, also for later visits. The current run moves to it. A run that has failed or stopped
 * is opened on it if it is stored, and restarted otherwise.
 */
export function chooseDevice(device: DeviceChoice): void {
  keepDeviceChoice(device);
  const { runId, status, config, preset, base, cannotTrain, rows, storage } = useLab.getState();
  if (!cannotTrain && (status === 'idle' || status === 'asked')) return;
  showRunAddress(config, preset, runId, base);
  useLab.setState({ cannotTrain: false });
  const isKept = runId !== null && rows.length > 0 && storage?.state === 'kept';
  const mustStart = cannotTrain || (runId !== null && hasBrokenOff({ status }));
  if (isKept && mustStart) void openKeptRun(runId, false);
  else if (mustStart) restart();
  else if (runId !== null) send({ type: 'move', runId, device });
}

/** Changes settings of the current run from its next iteration on. */
export function changeRun(values: LiveValues): void {
  const { runId } = useLab.getState();
  if (runId === null) return;
  // The run may refuse the same change again.
  useLab.setState({ refusedChange: null });
  send({ type: 'change', runId, values });
}

/** For tests: loses the GPU. */
export function loseGpu(): void {
  const { runId } = useLab.getState();
  if (runId !== null) send({ type: 'lose-gpu', runId });
}

function showRunAddress(
  config: Config,
  preset: string,
  runId: string | null,
  base: KeptBase | null,
): void {
  const run = withModel(writeAddress({ preset, config }), base);
  visit(`${location.pathname}${withAddressParts(run)}`, { entry: 'push', runId });
}

export function startPreset(name: string): void {
  startRun(presetConfig(name), name);
}

/** Starts another run of the current preset and pretrained model with these settings. */
export function startAgain(config: Config, paused = false, initial?: InitialAgent): void {
  const { preset, base } = useLab.getState();
  startRun(config, preset, paused, initial, runName(config, preset, base), base);
}

/** Default name of a run, with its pretrained model. */
export function runName(config: Config, preset: string, base: KeptBase | null): string {
  const name = defaultRunName(preset, config);
  return base === null ? name : `${base.name}: ${name}`;
}

/** Restarts the current run from its initial weights, which may be those of an agent. */
function restart(paused = false): void {
  const { runId, config } = useLab.getState();
  startAgain(config, paused, startedWith?.runId === runId ? startedWith.initial : undefined);
}

/** Restarts the current run from its initial weights, paused before the first iteration. */
export function resetRun(): void {
  restart(true);
}

export function pauseRun(): void {
  const { runId, status } = useLab.getState();
  if (runId === null || (status !== 'running' && status !== 'starting')) return;
  useLab.setState({ pausing: true });
  send({ type: 'pause', runId });
}

/** Continues a paused run, cancels a pending pause, or restarts a run that has ended. */
export function resumeRun(): void {
  const lab = useLab.getState();
  const { runId } = lab;
  if (runId === null || lab.status === 'finished' || hasBrokenOff(lab)) {
    restart();
    return;
  }
  useLab.setState({ pausing: false });
  send({ type: 'resume', runId });
}

/** Computes one iteration of a paused run. */
export function stepRun(): void {
  const { runId, status } = useLab.getState();
  if (runId === null || status !== 'paused') return;
  useLab.setState({ pausing: true });
  send({ type: 'step', runId });
}

/** Computes the phases of a paused run up to the given one. */
export function stepPhase(to: PhaseStop): void {
  const { runId, status } = useLab.getState();
  if (runId === null || status !== 'paused') return;
  useLab.setState({ pausing: true });
  send({ type: 'step-phase', runId, to });
}
