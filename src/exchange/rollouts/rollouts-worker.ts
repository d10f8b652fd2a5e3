/** The worker that reads files of episodes. The page loads it by URL. */
import { RolloutsDesk, type RolloutsRequest } from './rollouts-work.ts';

// The DOM and worker typings both apply here; in a worker `postMessage` takes one argument.
const scope = self as unknown as DedicatedWorkerGlobalScope;
const desk = new RolloutsDesk();

scope.onmessage = ({ data }: MessageEvent<RolloutsRequest>) => {
  void desk.answer(data, (message) => scope.postMessage(message));
};
