/** The worker that stores models and answers one request about them. */

import { ModelStore } from './model-store.ts';
import { answerModelRequest, type ModelAnswer, type ModelRequest } from './model-work.ts';

// The types of both a page and a worker apply here; in a worker `postMessage` takes one value.
const scope = self as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = async ({ data }: MessageEvent<ModelRequest>) => {
  const post = (answer: ModelAnswer) => scope.postMessage(answer);
  // The page passes the prefix of its storage keys as the worker's name.
  const open = () => ModelStore.open(scope.name);
  const onProgress = (fraction: number) => post({ kind: 'progress', fraction });
  post(await answerModelRequest(data, open, onProgress));
};
