import type { ProcessorKernels } from '../../device/processor/kernel.ts';
import { attentionKernels } from './attention.ts';
import { matmulKernels } from './matmul.ts';
import { rmsnormKernels } from './rmsnorm.ts';
import { ropeKernels } from './rope.ts';
import { swigluKernels } from './swiglu.ts';

/** Every kernel's function on the processor, by `kernel.entry`. */
export const processorKernels: ProcessorKernels = {
  ...attentionKernels,
  ...matmulKernels,
  ...rmsnormKernels,
  ...ropeKernels,
  ...swigluKernels,
};
