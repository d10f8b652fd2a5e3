/** Which run the page begins with: that of its address, the one it left off with, or the default. */

import { defaultPreset } from '../../config/preset-names.ts';
import type { Config } from '../../config/schema.ts';
import {
  type AddressedRun,
  addressPart,
  loadAddressed,
  namesRun,
  readAddress,
} from '../address/address.ts';
import { embeddedParts } from '../address/embedded.ts';
import { useReplacedSettings } from '../address/replaced.ts';
import { takeGoingOn } from '../browser/go-on.ts';
import { forgetKept, readKept, writeKept } from '../browser/kept.ts';
import { takeAddressedDevice, useDeviceChoice } from '../device/choice.ts';
import { takeLesson } from '../lessons/store.ts';
import { largeCost, useLargeRun } from '../overview/large-run.ts';
import { takeDepth } from '../page/depth.ts';
import { layAddressed } from '../runs/overlays.ts';
import { answerForRun, openElsewhere, runStore } from '../runs/runs-storage.ts';
import { openKeptRun, startPreset, startRun } from './commands.ts';
import { readyWorker } from './link.ts';
import { useLab } from './store.ts';

/** The run that is not opened by itself any more, since the page could not show it. */
const SET_ASIDE = 'set-aside';

/**
 * Opens the lab: the run of the address, or the default preset, starts at once, but for a large one, which
 * waits for a press. Where that run, or with a bare address any, was the last one here, it stands there
 * with its curve, ready to go on.
 */
export async function openLab(): Promise<void> {
  askBeforeLosing();
  // It loads while the page is drawn.
  readyWorker();
  answerForRun(() => {
    const { runId, status } = useLab.getState();
    // What has failed here, for one because another tab has it, is free.
    return status === 'failed' ? null : runId;
  });
  const address = addressPart(location);
  try {
    takeDepth(address);
    takeLesson(address);
    await openAddressed(address);
  } catch (error) {
    // Whatever it is, the page stands, and a press leads on.
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    useLab.setState({
      status: 'failed',
      error: {
        name,
        message: `The run of this address could not be opened: ${message}`,
        advice: 'Press Start to run the default preset. Kept runs are under Runs.',
      },
    });
  }
  await layAddressed(address);
}

/** Opens or begins the run of an address. */
async function openAddressed(address: string): Promise<void> {
  await loadAddressed(address);
  const addressed = readAddress(address);
  const notes = [...addressed.notes, ...takeAddressedDevice(address)];
  useReplacedSettings.setState({ of: 'the address', notes });
  const { choice } = useDeviceChoice.getState();
  if (choice === 'webgpu' && !('gpu' in navigator && navigator.gpu !== undefined)) {
    useLab.setState({ cannotTrain: true });
  }
  const compared = new URLSearchParams(address).get('compare');
  if (compared !== null && (await openTwins(compared, addressed))) return;
  const goingOn = takeGoingOn();
  const last = (await keptRun(goingOn)) ?? (await lastRun(namesRun(address) ? addressed : null));
  // What somebody does in the meantime counts.
  if (useLab.getState().runId !== null) return;
  if (last !== null) {
    await openKeptRun(last, last !== goingOn, true);
    return;
  }
  const { config, preset } = addressed;
  const large = await largeCost(config, preset);
  if (useLab.getState().runId !== null) return;
  if (large === null) {
    startRun(config, preset);
    return;
  }
  useLargeRun.setState({ large });
  useLab.setState({ config, preset, status: 'asked' });
}

/** Opens two agents side by side; false, and a note says why, where that cannot be. */
async function openTwins(compare: string, addressed: AddressedRun): Promise<boolean> {
  const { beginTwins } = await import('../twins/play.ts');
  try {
    beginTwins(compare, addressed);
    return true;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'CompareError') throw error;
    const { of, notes } = useReplacedSettings.getState();
    useReplacedSettings.setState({ of, notes: [...notes, error.message] });
    return false;
  }
}

/** The run of this id, if it is kept. */
async function keptRun(id: string | null): Promise<string | null> {
  if (id === null) return null;
  try {
    return (await (await runStore()).list()).some((entry) => entry.id === id) ? id : null;
  } catch (error) {
    if (error instanceof Error && error.name === 'StorageError') return null;
    throw error;
  }
}

/** The newest run, if it is the addressed one and no other tab has it open. */
async function lastRun(addressed: AddressedRun | null): Promise<string | null> {
  try {
    const [newest] = await (await runStore()).list();
    if (newest === undefined || newest.id === readKept(SET_ASIDE)) return null;
    const same =
      addressed === null ||
      (newest.preset === addressed.preset && wentOnFrom(newest.config, addressed.config));
    return same && !(await openElsewhere(newest.id)) ? newest.id : null;
  } catch (error) {
    // Without storage there is no last run; the worker tells of it when it wants to keep one.
    if (error instanceof Error && error.name === 'StorageError') return null;
    throw error;
  }
}

/** Whether a run began with a config; what was changed in it since makes it no other run. */
function wentOnFrom(config: Config, began: Config): boolean {
  const { changes } = began;
  const same = JSON.stringify({ ...config, changes }) === JSON.stringify(began);
  return same && config.changes.startsWith(changes);
}

/** Leaving the page asks first where that would lose what no storage has. */
function askBeforeLosing(): void {
  // The page around a frame is left as its reader likes.
  if (embeddedParts() !== null) return;
  addEventListener('beforeunload', (event) => {
    const { status, rows, storage } = useLab.getState();
    const training = status === 'running' || status === 'paused';
    const kept = storage === null || storage.state === 'kept';
    if (training && rows.length > 0 && !kept) event.preventDefault();
  });
}

/**
 * Forgets every choice, those in the address included, and begins the default run, so that a reload does
 * not bring back what the page could not show. Kept runs stay under Runs.
 */
export function backToDefault(): void {
  const { runId } = useLab.getState();
  forgetKept();
  if (runId !== null) writeKept(SET_ASIDE, runId);
  useReplacedSettings.setState({ notes: [] });
  startPreset(defaultPreset);
}
