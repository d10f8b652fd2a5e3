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

/**
 * The processor as a device in a browser's worker: with a thread for each core where the page is
 * isolated from others, else with the caller's alone.
 *
 * @throws ProcessorUnavailableError
 */
export function openBrowserProcessor(kernels: ProcessorKernels): Processor {
  const threads = crossOriginIsolated ? Math.min(navigator.hardwareConcurrency, MOST_THREADS) : 1;
  return new Processor({
    kernels,
    threads,
    startThread: threads > 1 ? startThread : null,
    engine: navigator.userAgent,
  });
}
