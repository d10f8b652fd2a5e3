/**
 * The training worker: passes messages between the page and its session. The page opens a second
 * instance to play the forks of a run in parallel.
 */

import { nextTask } from '../device/index.ts';
import { disconnect, sockets } from '../envs/remote/sockets.ts';
import { openBrowserDevice } from '../kernels/open-device.ts';
import type { KeptBase } from '../runs/checkpoint.ts';
import { runLock } from '../runs/place.ts';
import { RunStore } from '../runs/run-store.ts';
import { RunKeeper, type RunStorage } from './keeper.ts';
import { LabMachine } from './machine.ts';
import { allowOwnScripts } from './own-scripts.ts';
import type { PageMessage, ProveAnswer, ProveRequest, ServerMessage } from './protocol.ts';
import { describeError } from './session/errors.ts';
import { LabSession } from './session/session.ts';

// The DOM and worker typings both apply here; in a worker `postMessage` takes one argument.
const scope = self as unknown as DedicatedWorkerGlobalScope;

allowOwnScripts(import.meta.url);

/** Prefix of the names of the page's databases and locks; the page passes it as the worker's name. */
const place = scope.name;

/** Opens a stored pretrained model; few runs have one. */
const openModel = async (base: KeptBase) =>
  (await import('../exchange/pretrained/model-store.ts')).openStoredModel(place, base);

const machine = new LabMachine(openBrowserDevice, openModel);

/** Opened with the first run that is kept. */
let store: Promise<RunStore> | null = null;
const openStore = async () => {
  store ??= RunStore.open(place);
  try {
    return await store;
  } catch (error) {
    // Retry next time: the obstacle may be temporary.
    store = null;
    throw error;
  }
};
const storage: RunStorage = {
  save: async (snapshot) => (await openStore()).save(snapshot),
  setStatus: async (id, status, config) => (await openStore()).setStatus(id, status, config),
  checkpoints: async (id) => (await openStore()).checkpoints(id),
  rewind: async (id, iteration) => (await openStore()).rewind(id, iteration),
};

/** Thrown if the run's lock cannot be acquired, usually because another tab holds it. */
class RunOpenElsewhereError extends Error {
  override readonly name = 'RunOpenElsewhereError';
}

/** A page that was just closed takes a moment to release its lock. */
const LOCK_TIMEOUT_MS = 3000;

function lock(id: string): Promise<() => void> {
  // Insecure contexts (plain http) have no locks; there the page asks the other tabs itself.
  if (!('locks' in navigator)) return Promise.resolve(() => {});
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(
        runLock(place, id),
        { signal: AbortSignal.timeout(LOCK_TIMEOUT_MS) },
        () => new Promise<void>((release) => resolve(release)),
      )
      .catch((error: unknown) => {
        // Third-party frames without storage access have no locks either.
        if (error instanceof DOMException && error.name === 'SecurityError') resolve(() => {});
        else reject(new RunOpenElsewhereError('This run is open in another tab.'));
      });
  });
}

const session = new LabSession({
  post: (message) => scope.postMessage(message),
  open: (request, onFatal) => machine.open(request, onFatal),
  keep: (identity, report) => new RunKeeper(storage, identity, report),
  lock,
  loseGpu: () => machine.loseDevice(),
  yieldToMessages: nextTask,
});

// The page starts runs only with addresses that the user has allowed.
sockets.open = (url) => new WebSocket(url);
sockets.onWaiting = (reason) => {
  const message: ServerMessage = { type: 'server-waiting', reason };
  scope.postMessage(message);
};

scope.onmessage = ({ data }: MessageEvent<PageMessage | ProveRequest>) => {
  // A run that is ended must not keep waiting for its server.
  if (data.type === 'start' || data.type === 'stop') disconnect();
  if (data.type === 'prove') void playForks(data, (answer) => scope.postMessage(answer));
  else session.receive(data);
};

/** Loads the fork player on demand. */
async function playForks(
  request: ProveRequest,
  post: (answer: ProveAnswer) => void,
): Promise<void> {
  try {
    const { prove } = await import('./prove.ts');
    await prove(request, openBrowserDevice, openModel, post);
  } catch (error) {
    const { message, advice } = describeError(error);
    post({ type: 'failed', message, advice });
  }
}
