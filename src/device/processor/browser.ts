import type { ProcessorKernels } from './kernel.ts';
import { Processor } from './processor.ts';
import type { StartThread } from './threads.ts';

/** More threads gain little for networks that fit in a tab, and take cores from the page. */
const MOST_THREADS = 8;

/**
 * Starts a compute thread as a worker nested in the training worker. Threads share memory, so the
 * page must be cross-origin isolated.
 */
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

/** Threads wait for each other with `Atomics.wait`, which a page's main thread may not call. */
const mayShare = () => crossOriginIsolated && typeof document === 'undefined';

/**
 * Opens the processor as a device in a browser. In a worker of a cross-origin isolated page it uses
 * one thread per core up to `wanted`; otherwise it uses only the caller's thread.
 *
 * @param wanted maximum number of compute threads, including the caller's
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
