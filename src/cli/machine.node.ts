import { openNodeGpu } from '../device/webgpu/node.ts';
import { createPolicy } from '../policy/policy.ts';
import type { CreatePolicy } from '../policy/types.ts';

/** This machine's GPU as the command line's programs use it. */
export interface Machine {
  /** The adapter's name in words. */
  readonly adapter: string;
  readonly createPolicy: CreatePolicy;
  readonly close: () => void;
}

/** @throws WebGpuUnavailableError where no driver answers. */
export async function openMachine(): Promise<Machine> {
  const gpu = await openNodeGpu();
  return {
    adapter: gpu.description.detail,
    createPolicy: (shape, capacity, seed) => createPolicy(gpu, shape, capacity, seed),
    close: () => gpu.close(),
  };
}
