/** The page's connection to the training worker: starts it, sends messages, receives messages. */

import type { PageMessage, ServerMessage, WorkerMessage } from '../../../lab/protocol.ts';
import type { AnswerMessage, QuestionMessage, RefusalMessage } from '../../../lab/questions.ts';
import { placeName } from '../../../runs/place.ts';
import { batch } from './arrivals.ts';
import { receive } from './entering.ts';
import { askToPersist } from './run-storage.ts';
import { useLab } from './store.ts';

/** The chosen device is not available in this browser on this machine. */
const UNAVAILABLE = /^(WebGpu|Processor)UnavailableError$/;

let worker: Worker | null = null;

/** Starts the worker unless it is running. */
export function readyWorker(): Worker {
  worker ??= openWorker();
  return worker;
}

export function send(message: PageMessage): void {
  readyWorker().postMessage(message);
}

const enter = batch<WorkerMessage>((messages) => {
  const unavailable = messages.some(
    (message) => message.type === 'error' && UNAVAILABLE.test(message.name),
  );
  if (unavailable) useLab.setState({ cannotTrain: true });
  receive(...messages);
});

function openWorker(): Worker {
  const opened = new Worker(new URL('../../../lab/worker.ts', import.meta.url), {
    type: 'module',
    // Prefix of the page's storage keys, so that the worker uses the same databases.
    name: placeName(location.href),
  });
  opened.onmessage = (event: MessageEvent<WorkerMessage | ServerMessage>) => {
    const message = event.data;
    if (message.type === 'server-waiting') {
      useLab.setState({ serverWaiting: message.reason });
      return;
    }
    if ('request' in message) {
      pending.get(message.request)?.(message);
      pending.delete(message.request);
      return;
    }
    enter(message);
    if (message.type === 'storage' && message.storage.state === 'kept') void askToPersist();
  };
  opened.onerror = (event) => {
    // The script itself failed, so the worker cannot report anything.
    const { runId } = useLab.getState();
    opened.terminate();
    worker = null;
    for (const resolve of pending.values()) resolve(null);
    pending.clear();
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

export type Reply = AnswerMessage | RefusalMessage;

/** Questions without a reply, by request number. */
const pending = new Map<number, (reply: Reply | null) => void>();
let requests = 0;

/** Sends a question; resolves to null if the worker stops. */
export function request(question: (request: number) => QuestionMessage): Promise<Reply | null> {
  requests += 1;
  const id = requests;
  return new Promise((resolve) => {
    pending.set(id, resolve);
    send(question(id));
  });
}
