/** Requests to the worker for models. */
import type { ModelAnswer, ModelRequest } from '../../../exchange/pretrained/model-work.ts';
import { placeName } from '../../../runs/place.ts';

/** A request in progress. */
export interface Asked {
  /** Ends the worker at once, without an answer. */
  readonly stop: () => void;
  /** Asks the worker to end a download; the answer is `cancelled`. */
  readonly cancel: () => void;
}

/** Sends a request to a new worker, which ends after its answer or when `stop` is called. */
export function ask(request: ModelRequest, take: (answer: ModelAnswer) => void): Asked {
  const worker = new Worker(
    new URL('../../../exchange/pretrained/model-worker.ts', import.meta.url),
    // Prefix of the page's storage keys.
    { type: 'module', name: placeName(location.href) },
  );
  const stop = () => worker.terminate();
  const end = (answer: ModelAnswer) => {
    stop();
    take(answer);
  };
  worker.onmessage = ({ data }: MessageEvent<ModelAnswer>) => {
    if (data.kind === 'progress' || data.kind === 'downloading') take(data);
    else end(data);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    // The script did not load, or the worker ran out of memory.
    const message = event.message || 'The model worker failed. Reload the page and try again.';
    end({ kind: 'failed', message });
  };
  worker.postMessage(request);
  return { stop, cancel: () => worker.postMessage('cancel') };
}
