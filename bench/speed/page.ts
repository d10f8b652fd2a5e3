/** The benchmark's page, called by `browser.ts` in a headless Chromium. */
import { Gpu } from '../../src/device/index.ts';
import { Profiler } from '../../src/device/webgpu/profiler.ts';
import type { PolicyShape } from '../../src/policy/types.ts';
import type { Decoder } from './own-decode.ts';
import type { Trainer } from './own-step.ts';
import { jaxTrainer } from './peers/jax-js.ts';
import { ortDecoder } from './peers/onnxruntime.ts';
import { tensorflowTrainer } from './peers/tensorflow-js.ts';
import { remoteProcessorBench } from './processor.ts';
import type { ProcessorBench, SuiteOptions } from './processor-bench.ts';
import type { SuitePart } from './report.ts';
import { Suite } from './suite.ts';
import type { TrainingCase } from './training-case.ts';

/** In sequence, because TensorFlow.js loses a backend if another is requested while it starts. */
async function peers(training: TrainingCase): Promise<Trainer[]> {
  return [
    await jaxTrainer(training, 'webgpu'),
    await tensorflowTrainer(training, 'webgpu'),
    await jaxTrainer(training, 'wasm'),
    await tensorflowTrainer(training, 'wasm'),
    ...(await fromOutside(training)),
  ];
}

/** Peers run by the program that opened the page. */
async function fromOutside(training: TrainingCase): Promise<Trainer[]> {
  const names = (await window.openOutsideTrainers?.(training)) ?? [];
  return names.map((name, i) => ({
    name,
    step: async () => (await window.stepOutsideTrainer?.(i)) ?? Number.NaN,
    close: async () => window.closeOutsideTrainer?.(i),
  }));
}

async function decoders(shape: PolicyShape, episodes: number): Promise<Map<string, Decoder>> {
  return new Map([
    ['onnxruntime-web (webgpu)', await ortDecoder(shape, episodes, 'webgpu')],
    ['onnxruntime-web (wasm)', await ortDecoder(shape, episodes, 'wasm')],
  ]);
}

const gpu = await Gpu.open(navigator.gpu, { profiler: Profiler });
/** The processor with all its threads, and with one. */
const processors: readonly ProcessorBench[] = await Promise.all(
  [...new Set([navigator.hardwareConcurrency, 1])].map((threads) =>
    remoteProcessorBench(new Worker('/page/processor-worker.js', { type: 'module' }), threads),
  ),
);
let suite: Suite | undefined;

const bench = {
  adapter: { name: gpu.description.detail, software: gpu.description.software },
  run: (part: SuitePart, options: SuiteOptions) => {
    suite ??= new Suite({ device: gpu, processors, peers, decoders }, options);
    return suite.run(part);
  },
};

declare global {
  interface Window {
    bench?: typeof bench;
    /** Opens the peers that run outside the page; returns their names. */
    openOutsideTrainers?: (training: TrainingCase) => Promise<string[]>;
    stepOutsideTrainer?: (i: number) => Promise<number>;
    closeOutsideTrainer?: (i: number) => Promise<void>;
  }
}

window.bench = bench;
