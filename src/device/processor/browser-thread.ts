/** What a worker of `browser.ts` runs: a thread that computes until the device is given back. */
import { computeThread } from './compute-thread.ts';

// The types of the page and of a worker both apply here.
const scope = self as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = ({ data }: MessageEvent<Parameters<typeof computeThread>>) => {
  computeThread(...data);
  scope.close();
};
