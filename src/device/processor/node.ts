import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { computeThread } from './compute-thread.ts';
import type { ProcessorKernels } from './kernel.ts';
import { Processor } from './processor.ts';
import type { StartThread } from './threads.ts';

/** Starts a Node worker from the source text of `computeThread`, so bundles need no worker file. */
export const startNodeThread: StartThread = (workerData) => {
  const worker = new Worker(
    `(${computeThread.toString()})(...require('node:worker_threads').workerData);`,
    { eval: true, workerData, name: 'palestra-thread' },
  );
  // Waiting threads must not keep the process alive.
  worker.unref();
  return {
    onFailure: (listener) => worker.once('error', listener),
    terminate: () => void worker.terminate(),
  };
};

/**
 * Opens the processor as a device in Node.
 *
 * @param threads number of compute threads, including the caller's; defaults to the machine's
 *   available parallelism
 */
export function openNodeProcessor(
  kernels: ProcessorKernels,
  threads = availableParallelism(),
): Processor {
  const engine = `Node ${process.versions.node}, V8 ${process.versions.v8}`;
  return new Processor({ kernels, threads, startThread: startNodeThread, engine });
}
