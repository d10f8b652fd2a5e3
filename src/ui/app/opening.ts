/** Chooses the run that the page opens with: the one in the address, the last one, or the default. */

import type { Config } from '../../config/schema.ts';
import { quoted } from '../../config/settle.ts';
import type { KeptBase } from '../../runs/checkpoint.ts';
import type { RunEntry } from '../../runs/record.ts';
import { takeLesson, withLesson } from '../learn/lessons/store.ts';
import { layAddressed, withOverlays } from '../shelf/runs/overlays.ts';
import {
  type AddressedRun,
  addressPart,
  loadAddressed,
  namesRun,
  readAddress,
  withModel,
} from '../shell/address/address.ts';
import { embeddedParts, withEmbedded } from '../shell/address/embedded.ts';
import { setAddressParts } from '../shell/address/parts.ts';
import { useReplacedSettings } from '../shell/address/replaced.ts';
import { visitedRun, withoutVisit } from '../shell/address/visits.ts';
import { takeGoingOn } from '../shell/browser/go-on.ts';
import { readKept } from '../shell/browser/kept.ts';
import { notAllowed } from '../shell/code/allowed.ts';
import { takeAddressedDevice, useDeviceChoice, withDevice } from '../shell/device/choice.ts';
import { newRequest, openKeptRun, SET_ASIDE, startAgain, startRun } from '../shell/lab/commands.ts';
import { readyWorker, send } from '../shell/lab/link.ts';
import { answerForRun, openElsewhere, runStore } from '../shell/lab/run-storage.ts';
import { blank, useLab } from '../shell/lab/store.ts';
import { takeDepth, withDepth } from '../shell/page/depth.ts';
import { openPanel } from '../shell/page/panels.ts';
import { largeCost, useLargeRun } from '../why/overview/large-run.ts';

// An address that ends in #play opens play mode.
if (typeof location !== 'undefined' && location.hash === '#play') openPanel('play');

setAddressParts([withOverlays, withDevice, withDepth, withEmbedded, withLesson]);

/**
 * Opens the lab. The run in the address, or the default preset, starts immediately; a large run waits for
 * confirmation. If the last stored run matches the address, or the address names no run, that run is
 * reopened and paused.
 */
export async function openLab(): Promise<void> {
  askBeforeLosing();
  // The worker loads while the page renders.
  readyWorker();
  answerForRun(() => {
    const { runId, status } = useLab.getState();
    // A failed run may be open in another tab, so this tab does not claim it.
    return status === 'failed' ? null : runId;
  }, useLab.subscribe);
  await withoutVisit(openVisited);
  addEventListener('popstate', () => void withoutVisit(restoreVisit));
}

/** Opens the lesson, the run and the overlaid runs in the address. */
async function openVisited(): Promise<void> {
  const address = addressPart(location);
  await reported(async () => {
    takeDepth(address);
    takeLesson(address);
    await openAddressed(address);
  });
  await layAddressed(address);
}

/** Shows any error, so that the page stays usable. */
async function reported(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    useLab.setState({
      status: 'failed',
      error: {
        name,
        message: `The run in this address could not be opened: ${message}`,
        advice: 'Press Start to run the default preset. Stored runs are listed under Runs.',
      },
    });
  }
}

/** Shows the lesson and the run of the history entry that Back or Forward has reached. */
async function restoreVisit(): Promise<void> {
  const address = addressPart(location);
  takeLesson(address);
  const runId = visitedRun();
  const isNewest = newRequest();
  const { runId: current } = useLab.getState();
  if (runId !== null && runId === current) return;
  const kept = await keptRun(runId);
  if (!isNewest()) return;
  if (kept !== null) {
    await openKeptRun(kept);
    return;
  }
  // The run never started, or ended before its first iteration, so it is not stored.
  await reported(() => openAddressed(address, false));
}

/**
 * Opens or starts the run in an address.
 *
 * @param reopens whether the last stored run is opened if it matches the address
 */
async function openAddressed(address: string, reopens = true): Promise<void> {
  const isNewest = newRequest();
  await loadAddressed(address);
  const addressed = readAddress(address);
  const { base, notes: ofModel } = await addressedModel(address);
  // The user may have started another run in the meantime.
  if (!isNewest()) return;
  const notes = [...addressed.notes, ...ofModel, ...takeAddressedDevice(address)];
  useReplacedSettings.setState({ of: 'the address', notes });
  const { choice } = useDeviceChoice.getState();
  if (choice === 'webgpu' && !('gpu' in navigator && navigator.gpu !== undefined)) {
    useLab.setState({ cannotTrain: true });
  }
  // A comparison starts two runs, so the user must allow their code or server before it begins.
  if (notAllowed(addressed.config.env) !== null) {
    startRun(addressed.config, addressed.preset);
    return;
  }
  const compared = new URLSearchParams(address).get('compare');
  if (compared !== null && (await openTwins(compared, addressed))) return;
  const goingOn = takeGoingOn();
  const last = reopens
    ? await lastRun(namesRun(address) ? { ...addressed, base } : null, goingOn)
    : null;
  if (!isNewest()) return;
  if (last !== null) {
    await openKeptRun(last, last !== goingOn, true);
    return;
  }
  const { config, preset } = addressed;
  if (base !== null) {
    // A reload restarts the run. A link waits for confirmation, because runs of pretrained models are large.
    askFirst({ config, preset, base });
    if (visitedRun() !== null) startAgain(config);
    return;
  }
  const large = await largeCost(config, preset);
  if (!isNewest()) return;
  if (large === null) {
    startRun(config, preset);
    return;
  }
  useLargeRun.setState({ large });
  askFirst({ config, preset, base });
}

/** Ends the current run, if any, and waits for confirmation to start another. */
function askFirst(run: AddressedRun & { readonly base: KeptBase | null }): void {
  const { runId } = useLab.getState();
  if (runId !== null) send({ type: 'stop', runId });
  const { config, preset, base } = run;
  useLab.setState({ ...blank, runId: null, config, preset, base, status: 'asked' });
}

/** The pretrained model in an address, or a note if it is invalid. */
async function addressedModel(
  address: string,
): Promise<{ readonly base: KeptBase | null; readonly notes: readonly string[] }> {
  const value = new URLSearchParams(address).get('model');
  if (value === null) return { base: null, notes: [] };
  const base = (await import('../shell/address/model.ts')).readModel(value);
  const note = `The address has model=${quoted(value)}, which does not describe a pretrained model; it is ignored.`;
  return { base, notes: base === null ? [note] : [] };
}

/** Opens two agents side by side; returns false and adds a note if the comparison is invalid. */
async function openTwins(compare: string, addressed: AddressedRun): Promise<boolean> {
  const { beginTwins } = await import('../learn/twins/play.ts');
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

/** The stored runs, newest first; none without storage, which the worker reports when it saves. */
async function storedRuns(): Promise<readonly RunEntry[]> {
  try {
    return await (await runStore()).list();
  } catch (error) {
    if (error instanceof Error && error.name === 'StorageError') return [];
    throw error;
  }
}

/** The id if the run is stored, else null. */
async function keptRun(id: string | null): Promise<string | null> {
  return id !== null && (await storedRuns()).some((entry) => entry.id === id) ? id : null;
}

/**
 * The run of the history entry, which survives a reload, or else the newest run if it matches the address;
 * null if it is open in another tab.
 */
async function lastRun(
  addressed: (AddressedRun & { readonly base: KeptBase | null }) | null,
  goingOn: string | null,
): Promise<string | null> {
  const runs = await storedRuns();
  const visited = runs.find(({ id }) => id === visitedRun());
  const last = visited ?? runs[0];
  if (last === undefined || last.id === readKept(SET_ASIDE)) return null;
  const same =
    last === visited ||
    addressed === null ||
    (last.preset === addressed.preset &&
      withModel('', last.base ?? null) === withModel('', addressed.base) &&
      wentOnFrom(last.config, addressed.config));
  // The worker of the page before may not yet have released the run that continues.
  return same && (last.id === goingOn || !(await openElsewhere(last.id))) ? last.id : null;
}

/** Whether a run was started with a config, regardless of changes made during training. */
function wentOnFrom(config: Config, began: Config): boolean {
  const { changes } = began;
  const same = JSON.stringify({ ...config, changes }) === JSON.stringify(began);
  return same && config.changes.startsWith(changes);
}

/** Warns before leaving the page if unsaved training would be lost. */
function askBeforeLosing(): void {
  // Never in a frame of another page.
  if (embeddedParts() !== null) return;
  addEventListener('beforeunload', (event) => {
    const { status, rows, storage } = useLab.getState();
    const training = status === 'running' || status === 'paused';
    const kept = storage === null || storage.state === 'kept';
    if (training && rows.length > 0 && !kept) event.preventDefault();
  });
}
