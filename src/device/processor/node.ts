import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { computeThread } from './compute-thread.ts';
import type { ProcessorKernels } from './kernel.ts';
import { Processor } from './processor.ts';
import type { StartThread } from './threads.ts';

/** Threads of Node, which run the text of `computeThread`: so there is no file to be found by a bundle. */
export const startNodeThread: StartThread = (workerData) => {
  const worker = new Worker(
    `(${computeThread.toString()})(...require('node:worker_threads').workerData);`,
    { eval: true, workerData, name: 'palestra-thread' },
  );
  // A program with nothing else to do exits, regardless of waiting threads.
  worker.unref();
  return {
    onFailure: (listener) => worker.once('error', listener),
    terminate: () => void worker.terminate(),
  };
};

/**
 * The processor as a device in Node.
 *
 * @param threads that compute, the caller's included; as many as the machine runs at once where it is
 *   not given
 */
export function openNodeProcessor(
  kernels: ProcessorKernels,
  threads = availableParallelism(),
): Processor {
  const engine = `Node ${process.versions.node}, V8 ${process.versions.v8}`;
  return new Processor({ kernels, threads, startThread: startNodeThread, engine });
}
