/**
 * Checks that results on the processor are bit-identical for any number of threads and any split of
 * the work.
 */
import { afterAll, describe, expect, it } from 'vitest';
import type { Tensor } from '../device/index.ts';
import type { ProcessorKernel } from '../device/processor/kernel.ts';
import { openNodeProcessor } from '../device/processor/node.ts';
import type { Operation, Sizes } from './operation.ts';
import { processorKernels } from './processor/index.ts';
import { pretrainedKernels } from './processor/pretrained.ts';
import { TestRandom } from './reference/random.ts';
import { kernelRegistry } from './registry.ts';

/** Number of functions with more than one unit that were shared among threads. */
let shared = 0;
/** The number of shared functions of each trial, by operation and sizes. */
const sharedBy = new Map<string, Promise<number>>();

/** The kernel, with its functions shared among threads even if there is little work. */
function alwaysShared(kernel: ProcessorKernel): ProcessorKernel {
  return (call) =>
    kernel({
      ...call,
      share: (fn, args, units, _work, constants) => {
        if (units > 1) shared += 1;
        call.share(fn, args, units, Number.POSITIVE_INFINITY, constants);
      },
    });
}

const kernels = Object.fromEntries(
  Object.entries({ ...processorKernels, ...pretrainedKernels }).map(([name, kernel]) => [
    name,
    alwaysShared(kernel),
  ]),
);
const devices = [1, 2, 3].map((threads) => openNodeProcessor(kernels, threads));
afterAll(() => {
  for (const device of devices) device.close();
});

/** All tensors after a trial, as words, on each device. */
async function outcomes(operation: Operation, sizes: Sizes): Promise<Uint32Array[][]> {
  const trial = operation.trial(sizes, new TestRandom(4), 'processor');
  return Promise.all(
    devices.map(async (device) => {
      const tensors: Record<string, Tensor> = {};
      for (const [name, data] of Object.entries(trial.tensors)) {
        tensors[name] = device.tensor(name, Math.max(1, data.length));
        if (data.length > 0) device.upload(tensors[name], data);
      }
      const all = Object.values(tensors);
      const buffers = await device.submit(
        'trial',
        (recorder) => operation.call(recorder, tensors, { ...sizes, ...trial.derived }),
        all.map((tensor) => ({ tensor, length: tensor.length })),
      );
      for (const tensor of all) device.free(tensor);
      return buffers.map((buffer) => new Uint32Array(buffer));
    }),
  );
}

/**
 * Checks that a trial gives the same results on each device, and returns the number of functions
 * that were shared. Each trial runs only once.
 */
function shares(operation: Operation, sizes: Sizes): Promise<number> {
  const key = operation.name + JSON.stringify(sizes);
  const known = sharedBy.get(key) ?? compared(operation, sizes);
  sharedBy.set(key, known);
  return known;
}

async function compared(operation: Operation, sizes: Sizes): Promise<number> {
  const before = shared;
  const [one, ...others] = await outcomes(operation, sizes);
  for (const other of others) expect(other).toEqual(one);
  return shared - before;
}

const onProcessor = kernelRegistry.filter(({ gpuOnly }) => !gpuOnly);
const trials = onProcessor.flatMap((operation) =>
  [...operation.cases, ...(operation.large ? [operation.large] : [])].map(
    (sizes) => [operation.name, JSON.stringify(sizes), { operation, sizes }] as const,
  ),
);

describe('on one, two and three threads', () => {
  it.each(trials)('%s gives the same bits: %s', async (_, _title, { operation, sizes }) => {
    await shares(operation, sizes);
  });

  it('every operation with a large test size shares its work', async () => {
    const alone: string[] = [];
    for (const operation of onProcessor) {
      if (operation.large === undefined) continue;
      if ((await shares(operation, operation.large)) === 0) alone.push(operation.name);
    }
    expect(alone).toEqual([]);
  });

  it('every kernel that can share its work has a large test size', async () => {
    const large = new Set(
      onProcessor.filter((operation) => operation.large).flatMap(({ entries }) => entries),
    );
    const missing = new Set<string>();
    for (const operation of onProcessor.filter((operation) => !operation.large)) {
      const sizes = operation.cases.at(-2);
      const some = sizes === undefined ? 0 : await shares(operation, sizes);
      if (some > 0 && operation.entries.some((entry) => !large.has(entry))) {
        missing.add(operation.name);
      }
    }
    expect([...missing]).toEqual([]);
  });
});
