/** Worker script of `browser.ts`: a compute thread that runs until the device is closed. */
import { computeThread } from './compute-thread.ts';

// TypeScript loads the types of pages and of workers, so `self` needs a cast.
const scope = self as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = ({ data }: MessageEvent<Parameters<typeof computeThread>>) => {
  computeThread(...data);
  scope.close();
};
