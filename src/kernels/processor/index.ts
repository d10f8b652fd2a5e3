import type { ProcessorKernels } from '../../device/processor/kernel.ts';
import { matmulKernels } from './matmul.ts';

/** Every kernel's function on the processor, by `kernel.entry`. */
export const processorKernels: ProcessorKernels = {
  ...matmulKernels,
};
