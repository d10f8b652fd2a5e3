import { openNodeGpu } from '../gpu/node.ts';
import { createPolicy } from '../policy/policy.ts';
import type { CreatePolicy } from '../training/reinforcement.ts';

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
  const { vendor, architecture, description } = gpu.description;
  return {
    adapter: [vendor, architecture, description].filter((part) => part !== '').join(', '),
    createPolicy: (shape, capacity, seed) => createPolicy(gpu, shape, capacity, seed),
    close: () => gpu.close(),
  };
}
