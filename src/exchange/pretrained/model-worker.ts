/** The worker that stores models and answers one request about them. */

import { HubDownloads } from './hub/hub-downloads.ts';
import { ModelStore } from './model-store.ts';
import { answerModelRequest, type ModelAnswer, type ModelRequest } from './model-work.ts';

// The DOM and worker typings both apply here; in a worker `postMessage` takes one argument.
const scope = self as unknown as DedicatedWorkerGlobalScope;

/** Milliseconds between progress reports of a download; the network delivers hundreds of parts a second. */
const REPORT_EVERY = 100;

const cancel = new AbortController();

scope.onmessage = async ({ data }: MessageEvent<ModelRequest | 'cancel'>) => {
  if (data === 'cancel') {
    cancel.abort();
    return;
  }
  const post = (answer: ModelAnswer) => scope.postMessage(answer);
  let reported = Number.NEGATIVE_INFINITY;
  const answer = await answerModelRequest(data, {
    // The page passes the prefix of its storage keys as the worker's name.
    store: () => ModelStore.open(scope.name),
    downloads: () => HubDownloads.open(scope.name),
    onProgress: (progress) => {
      const frequent = progress.kind === 'downloading' && progress.progress.phase === 'downloading';
      if (frequent && performance.now() - reported < REPORT_EVERY) return;
      reported = performance.now();
      post(progress);
    },
    signal: cancel.signal,
  });
  post(answer);
};
