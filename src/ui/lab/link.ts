/** The page's end of the worker: starts it, sends what is asked of it, enters what it reports. */

import type { PageMessage, WorkerMessage } from '../../lab/protocol.ts';
import { placeName } from '../../runs/place.ts';
import { askToPersist } from '../runs/runs-storage.ts';
import { gather } from './arrivals.ts';
import { receive } from './entering.ts';
import { useLab } from './store.ts';

/** The errors that mean: what was chosen cannot be had in this browser on this machine. */
const UNAVAILABLE = /^(WebGpu|Processor)UnavailableError$/;

let worker: Worker | null = null;

/** Starts the worker, where it is not there yet. */
export function readyWorker(): Worker {
  worker ??= openWorker();
  return worker;
}

export function send(message: PageMessage): void {
  readyWorker().postMessage(message);
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

export type Answer = Extract<WorkerMessage, { readonly request: number }>;

/** Questions that the worker has not answered yet. */
const waiting = new Map<number, (answer: Answer | null) => void>();
let requests = 0;

/** Asks the worker; null when the worker is gone. */
export function ask(question: (request: number) => PageMessage): Promise<Answer | null> {
  requests += 1;
  const request = requests;
  return new Promise((resolve) => {
    waiting.set(request, resolve);
    send(question(request));
  });
}
