import type { ProcessorKernels } from './kernel.ts';
import { Processor } from './processor.ts';
import type { StartThread } from './threads.ts';

/** More threads than this gain little on networks that fit a tab, and take cores from the page. */
const MOST_THREADS = 8;

/** Threads of a browser: workers of the worker that trains. They share memory, so the page must be isolated. */
const startThread: StartThread = (args) => {
  const worker = new Worker(new URL('./browser-thread.ts', import.meta.url), {
    type: 'module',
    name: 'palestra-thread',
  });
  worker.postMessage(args);
  return {
    onFailure: (listener) => {
      worker.onerror = (event) => {
        event.preventDefault();
        listener(new Error(event.message || 'a thread could not be loaded'));
      };
    },
    terminate: () => worker.terminate(),
  };
};

/** Threads wait for each other by `Atomics.wait`, which a page's own thread may not do. */
const mayShare = () => crossOriginIsolated && typeof document === 'undefined';

/**
 * The processor as a device in a browser: in a worker of a page that is isolated from others with a
 * thread for each core, else with the caller's alone.
 *
 * @param wanted most threads that compute, the caller's included
 * @throws ProcessorUnavailableError
 */
export function openBrowserProcessor(kernels: ProcessorKernels, wanted = MOST_THREADS): Processor {
  const threads = mayShare() ? Math.min(navigator.hardwareConcurrency, wanted) : 1;
  return new Processor({
    kernels,
    threads,
    startThread: threads > 1 ? startThread : null,
    engine: navigator.userAgent,
  });
}
