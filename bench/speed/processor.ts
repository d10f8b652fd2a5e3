/** The processor as a device of the benchmark, alongside WebGPU. */

import { Processor } from '../../src/device/processor/processor.ts';
import type { StartThread } from '../../src/device/processor/threads.ts';
import { processorKernels } from '../../src/kernels/processor/index.ts';
import type { PolicyShape } from '../../src/policy/types.ts';
import { processorLimits } from './limits.ts';
import { decoder } from './own-decode.ts';
import { ownTrainer } from './own-step.ts';
import type { ProcessorBench, SuiteOptions } from './processor-bench.ts';
import { Suite } from './suite.ts';
import type { TrainingCase } from './training-case.ts';

export function processorBench(
  threads: number,
  startThread: StartThread,
  engine: string,
): ProcessorBench {
  const kernels = { ...processorKernels, ...processorLimits };
  const device = new Processor({ kernels, threads, startThread, engine });
  const name = `processor, ${threads === 1 ? '1 thread' : `${threads} threads`}`;
  return {
    name,
    measure: async (options) => {
      const suite = new Suite(
        { device, peers: async () => [], decoders: async () => new Map() },
        options,
      );
      return {
        name,
        limits: await suite.run('limits'),
        kernels: await suite.run('kernels'),
        loop: await suite.run('loop'),
      };
    },
    trainer: async (training) => ({
      ...(await ownTrainer(device, training)),
      name: `Palestra, ${name}`,
    }),
    decoder: (shape, episodes) => decoder(device, shape, episodes),
    close: () => device.close(),
  };
}

/** A call to a method of `ProcessorBench` or of an object that such a method created. */
export type Call =
  | { readonly method: 'open'; readonly threads: number }
  | { readonly method: 'measure'; readonly options: SuiteOptions }
  | { readonly method: 'trainer'; readonly training: TrainingCase }
  | { readonly method: 'decoder'; readonly shape: PolicyShape; readonly episodes: number }
  | { readonly method: 'run' | 'close'; readonly made: number };

export interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** A `ProcessorBench` in a worker that runs `processor-worker.ts`. */
export async function remoteProcessorBench(
  worker: Worker,
  threads: number,
): Promise<ProcessorBench> {
  const waiting = new Map<number, (answer: Answer) => void>();
  let calls = 0;
  worker.onmessage = ({ data }: MessageEvent<Answer>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  };
  const ask = async <Result>(call: Call): Promise<Result> => {
    calls += 1;
    const id = calls;
    const answered = new Promise<Answer>((resolve) => {
      waiting.set(id, resolve);
    });
    worker.postMessage({ id, call });
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(`The processor's worker: ${error}`);
    return result as Result;
  };
  const name = await ask<string>({ method: 'open', threads });
  return {
    name,
    measure: (options) => ask({ method: 'measure', options }),
    trainer: async (training) => {
      const made = await ask<number>({ method: 'trainer', training });
      return {
        name: `Palestra, ${name}`,
        step: () => ask<number>({ method: 'run', made }),
        close: () => ask<void>({ method: 'close', made }),
      };
    },
    decoder: async (shape, episodes) => {
      const made = await ask<number>({ method: 'decoder', shape, episodes });
      return {
        run: () => ask<Uint32Array>({ method: 'run', made }),
        close: () => ask<void>({ method: 'close', made }),
      };
    },
    close: () => worker.terminate(),
  };
}
