/**
 * The dedicated worker: carries messages between the page and the session. The page opens another of it
 * to have the forks of a run played beside the run.
 */

import { nextTask } from '../device/index.ts';
import { openBrowserDevice } from '../kernels/open-device.ts';
import { runLock } from '../runs/place.ts';
import { RunStore } from '../runs/run-store.ts';
import { RunKeeper, type RunStorage } from './keeper.ts';
import { LabMachine } from './machine.ts';
import type { PageMessage, ProveAnswer, ProveRequest } from './protocol.ts';
import { describeError } from './session/errors.ts';
import { LabSession } from './session/session.ts';

// The types of the page and of a worker both apply here; in a worker `postMessage` takes one value.
const scope = self as unknown as DedicatedWorkerGlobalScope;

/**
 * Where a host sends the content policy as a header, it holds for this worker too: threads are then the
 * only scripts that it may start, and only such that lie beside it.
 */
const { trustedTypes } = scope as {
  readonly trustedTypes?: {
    createPolicy(name: string, rules: { createScriptURL(address: string): string | null }): unknown;
  };
};
const here = new URL('.', import.meta.url).href;
trustedTypes?.createPolicy('default', {
  createScriptURL: (address) => (new URL(address, here).href.startsWith(here) ? address : null),
});

/** The page calls its worker by the name of the place where it keeps runs. */
const place = scope.name;

const machine = new LabMachine(openBrowserDevice);

/** Opened with the first run that is to be kept. */
let store: Promise<RunStore> | null = null;
const opened = async () => {
  store ??= RunStore.open(place);
  try {
    return await store;
  } catch (error) {
    // What is in the way may be gone the next time.
    store = null;
    throw error;
  }
};
const storage: RunStorage = {
  save: async (snapshot) => (await opened()).save(snapshot),
  setStatus: async (id, status) => (await opened()).setStatus(id, status),
  checkpoints: async (id) => (await opened()).checkpoints(id),
  rewind: async (id, iteration) => (await opened()).rewind(id, iteration),
};

/** Another tab has this run open. */
class RunOpenElsewhereError extends Error {
  override readonly name = 'RunOpenElsewhereError';
}

/** A page that was just closed takes a moment to let go of its run. */
const LOCK_PATIENCE_MS = 3000;

function lock(id: string): Promise<() => void> {
  // Over plain http there are no locks; the page has asked the others.
  if (!('locks' in navigator)) return Promise.resolve(() => {});
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(
        runLock(place, id),
        { signal: AbortSignal.timeout(LOCK_PATIENCE_MS) },
        () => new Promise<void>((release) => resolve(release)),
      )
      .catch((error: unknown) => {
        // A page that may keep nothing may hold nothing either, as in a frame of another host's page.
        if (error instanceof DOMException && error.name === 'SecurityError') resolve(() => {});
        else reject(new RunOpenElsewhereError('This run is open in another tab.'));
      });
  });
}

const session = new LabSession({
  post: (message) => scope.postMessage(message),
  open: (request, onFatal) => machine.open(request, onFatal),
  keep: (identity, tell) => new RunKeeper(storage, identity, tell),
  lock,
  loseGpu: () => machine.loseDevice(),
  breathe: nextTask,
});

scope.onmessage = ({ data }: MessageEvent<PageMessage | ProveRequest>) => {
  if (data.type === 'prove') void playForks(data, (answer) => scope.postMessage(answer));
  else session.receive(data);
};

/** What plays forks is loaded in a worker that is asked to. */
async function playForks(
  request: ProveRequest,
  post: (answer: ProveAnswer) => void,
): Promise<void> {
  try {
    const { prove } = await import('./prove.ts');
    await prove(request, openBrowserDevice, post);
  } catch (error) {
    const { message, advice } = describeError(error);
    post({ type: 'failed', message, advice });
  }
}
