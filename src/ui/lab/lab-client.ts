/** The page's end of the worker: starts it, sends what the visitor asks, enters what it reports. */

import { defaultPreset, presetConfig } from '../../config/presets.ts';
import type { Config } from '../../config/schema.ts';
import type {
  DeviceChoice,
  EvaluationSettings,
  InitialAgent,
  NumberedRecord,
  PageMessage,
  WorkerMessage,
} from '../../lab/protocol.ts';
import type { EvaluationReport } from '../../runs/evaluation-report.ts';
import type { Alternatives, Inspection } from '../../runs/inspection.ts';
import type { EpisodeSummary } from '../../runs/kept-episodes.ts';
import { placeName } from '../../runs/place.ts';
import {
  type AddressedRun,
  addressPart,
  loadAddressed,
  readAddress,
  writeAddress,
} from '../address/address.ts';
import { useReplacedSettings } from '../address/replaced.ts';
import { takeGoingOn } from '../browser/go-on.ts';
import { forgetKept, readKept, writeKept } from '../browser/kept.ts';
import {
  keepDeviceChoice,
  namesRun,
  takeAddressedDevice,
  useDeviceChoice,
  withDevice,
} from '../device/choice.ts';
import { largeCost, useLargeRun } from '../overview/large-run.ts';
import { answerForRun, askToPersist, openElsewhere, runStore } from '../runs/runs-storage.ts';
import { gather } from './arrivals.ts';
import { beginRun, receive, showKeptRun, useLab } from './store.ts';

/** The errors that mean: what was chosen cannot be had in this browser on this machine. */
const UNAVAILABLE = /^(WebGpu|Processor)UnavailableError$/;

let worker: Worker | null = null;

function send(message: PageMessage): void {
  worker ??= openWorker();
  worker.postMessage(message);
}

const enter = gather<WorkerMessage>((messages) => {
  const missed = messages.some(
    (message) => message.type === 'error' && UNAVAILABLE.test(message.name),
  );
  if (missed) useLab.setState({ cannotTrain: true });
  receive(...messages);
});

function openWorker(): Worker {
  const opened = new Worker(new URL('../../lab/worker.ts', import.meta.url), {
    type: 'module',
    // The place where the worker keeps runs, beside the page's own.
    name: placeName(location.href),
  });
  opened.onmessage = (event: MessageEvent<WorkerMessage>) => {
    const message = event.data;
    if ('request' in message) {
      waiting.get(message.request)?.(message);
      waiting.delete(message.request);
      return;
    }
    enter(message);
    if (message.type === 'storage' && message.storage.state === 'kept') void askToPersist();
  };
  opened.onerror = (event) => {
    // The worker's script itself failed: nothing in it can report any more.
    const { runId } = useLab.getState();
    opened.terminate();
    worker = null;
    for (const answer of waiting.values()) answer(null);
    waiting.clear();
    if (runId === null) return;
    enter({
      type: 'error',
      runId,
      name: 'WorkerError',
      message: event.message || 'The training worker could not be loaded.',
      advice: 'Reload the page. If it happens again, update the browser.',
    });
    enter({ type: 'status', runId, status: 'failed' });
  };
  return opened;
}

type Answer = Extract<WorkerMessage, { readonly request: number }>;

/** Questions that the worker has not answered yet. */
const waiting = new Map<number, (answer: Answer | null) => void>();
let requests = 0;

/** Asks the worker; null when the worker is gone. */
function ask(question: (request: number) => PageMessage): Promise<Answer | null> {
  requests += 1;
  const request = requests;
  return new Promise((resolve) => {
    waiting.set(request, resolve);
    send(question(request));
  });
}

/** The episodes that the present run keeps; none before the first run. */
export async function listEpisodes(): Promise<readonly EpisodeSummary[]> {
  const { runId } = useLab.getState();
  if (runId === null) return [];
  const answer = await ask((request) => ({ type: 'list-episodes', runId, request }));
  return answer?.type === 'episode-list' ? answer.episodes : [];
}

/** Kept episodes of the present run by their numbers; those that have dropped out are missing. */
export async function readEpisodes(
  numbers: readonly number[],
  tokens: boolean,
): Promise<readonly NumberedRecord[]> {
  const { runId } = useLab.getState();
  if (runId === null) return [];
  const answer = await ask((request) => ({
    type: 'read-episodes',
    runId,
    request,
    numbers,
    tokens,
  }));
  return answer?.type === 'episode-records' ? answer.records : [];
}

/** A kept episode of the present run with all that was learned from it; null where it is gone. */
export async function inspectEpisode(number: number): Promise<Inspection | null> {
  const { runId } = useLab.getState();
  if (runId === null) return null;
  const answer = await ask((request) => ({ type: 'inspect-episode', runId, request, number }));
  return answer?.type === 'inspection' ? answer.inspection : null;
}

/** The agent was asked for and cannot be had; the message is one sentence. */
export class AgentGoneError extends Error {
  override readonly name = 'AgentGoneError';
}

/** Asks the present run for what only its agent can tell. */
async function askAgent<Type extends Answer['type']>(
  type: Type,
  question: (runId: string, request: number) => PageMessage,
): Promise<Extract<Answer, { readonly type: Type }>> {
  const { runId } = useLab.getState();
  if (runId === null) throw new AgentGoneError('There is no run yet.');
  const answer = await ask((request) => question(runId, request));
  if (answer?.type === type) return answer as Extract<Answer, { readonly type: Type }>;
  const refused = answer?.type === 'refusal' ? answer.reason : 'The training worker is gone.';
  throw new AgentGoneError(refused);
}

/**
 * Plays the evaluation tasks with the present run's agent, after the iteration that is being
 * computed.
 *
 * @throws {AgentGoneError}
 */
export async function evaluateAgent(settings: EvaluationSettings): Promise<EvaluationReport> {
  const { report } = await askAgent('evaluation-report', (runId, request) => ({
    type: 'evaluate-agent',
    runId,
    request,
    settings,
  }));
  return report;
}

/**
 * The present run's agent as a file, after the iteration that is being computed.
 *
 * @throws {AgentGoneError}
 */
export async function readCheckpoint(): Promise<Uint8Array<ArrayBuffer>> {
  const { bytes } = await askAgent('checkpoint', (runId, request) => ({
    type: 'read-checkpoint',
    runId,
    request,
  }));
  return bytes;
}

/**
 * What the present run's agent would write in a kept episode, after the iteration that is being
 * computed.
 *
 * @throws {AgentGoneError}
 */
export async function readAlternatives(number: number): Promise<Alternatives> {
  const { alternatives } = await askAgent('alternatives', (runId, request) => ({
    type: 'read-alternatives',
    runId,
    request,
    number,
  }));
  return alternatives;
}

/** Begins a run from random weights, or those of an agent, and forgets the one before. */
export function startRun(
  config: Config,
  preset: string,
  paused = false,
  initial?: InitialAgent,
): void {
  writeRunAddress(config, preset);
  if (useLab.getState().cannotTrain) {
    // The settings can still be tried out; there is nothing to train on.
    useLab.setState({ config, preset, status: 'asked' });
    return;
  }
  const runId = crypto.randomUUID();
  beginRun(runId, config, preset);
  const { name } = useLab.getState();
  const weights = initial === undefined ? {} : { initial };
  const keep = { name, preset, stored: false };
  const device = useDeviceChoice.getState().choice;
  send({ type: 'start', runId, config, device, paused, keep, ...weights });
}

/** Shows a kept run with its curve, ready to go on where it was kept last, or going on. */
export async function openKeptRun(id: string, paused = true): Promise<void> {
  const kept = await (await runStore()).read(id);
  if (kept === null) return;
  const { name, preset, config, replaced } = kept.entry;
  if (replaced !== undefined)
    useReplacedSettings.setState({ of: 'this kept run', notes: replaced });
  writeRunAddress(config, preset);
  showKeptRun(kept);
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

/** For tests: the GPU is lost. */
export function loseGpu(): void {
  const { runId } = useLab.getState();
  if (runId !== null) send({ type: 'lose-gpu', runId });
}

function writeRunAddress(config: Config, preset: string): void {
  history.replaceState(
    null,
    '',
    `${location.pathname}${withDevice(writeAddress({ preset, config }))}`,
  );
}

/** The run that is not opened by itself any more, since the page could not show it. */
const SET_ASIDE = 'set-aside';

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

/**
 * Opens the lab: the run of the address, or the default preset, starts at once, but for a large one, which
 * waits for a press. Where that run, or with
 * a bare address any, was the last one here, it stands there with its curve, ready to go on.
 */
export async function openLab(): Promise<void> {
  askBeforeLosing();
  answerForRun(() => useLab.getState().runId);
  try {
    const address = addressPart(location);
    await loadAddressed(address);
    const addressed = readAddress(address);
    const notes = [...addressed.notes, ...takeAddressedDevice(address)];
    useReplacedSettings.setState({ of: 'the address', notes });
    const { choice } = useDeviceChoice.getState();
    if (choice === 'webgpu' && !('gpu' in navigator && navigator.gpu !== undefined)) {
      useLab.setState({ cannotTrain: true });
    }
    const goingOn = takeGoingOn();
    const last = (await keptRun(goingOn)) ?? (await lastRun(namesRun(address) ? addressed : null));
    if (last !== null) {
      await openKeptRun(last, last !== goingOn);
      return;
    }
    const { config, preset } = addressed;
    const large = await largeCost(config, preset);
    // What somebody does in the meantime counts.
    if (useLab.getState().runId !== null) return;
    if (large === null) {
      startRun(config, preset);
      return;
    }
    useLargeRun.setState({ large });
    useLab.setState({ config, preset, status: 'asked' });
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
      (newest.preset === addressed.preset &&
        JSON.stringify(newest.config) === JSON.stringify(addressed.config));
    return same && !(await openElsewhere(newest.id)) ? newest.id : null;
  } catch (error) {
    // Without storage there is no last run; the worker tells of it when it wants to keep one.
    if (error instanceof Error && error.name === 'StorageError') return null;
    throw error;
  }
}

/** Leaving the page asks first where that would lose what no storage has. */
function askBeforeLosing(): void {
  addEventListener('beforeunload', (event) => {
    const { status, rows, storage } = useLab.getState();
    const training = status === 'running' || status === 'paused';
    const kept = storage === null || storage.state === 'kept';
    if (training && rows.length > 0 && !kept) event.preventDefault();
  });
}
