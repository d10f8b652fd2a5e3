/** The worker that reads files of episodes. The page reaches it by its address. */
import { RolloutsDesk, type RolloutsRequest } from './rollouts-work.ts';

// The types of the page and of a worker both apply here; in a worker `postMessage` takes one value.
const scope = self as unknown as DedicatedWorkerGlobalScope;
const desk = new RolloutsDesk();

scope.onmessage = ({ data }: MessageEvent<RolloutsRequest>) => {
  void desk.answer(data, (message) => scope.postMessage(message));
};
