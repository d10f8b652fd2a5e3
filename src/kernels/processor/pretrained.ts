import type { ProcessorKernels } from '../../device/processor/kernel.ts';
import { elementwiseKernels } from './elementwise.ts';
import { frozenKernels } from './frozen.ts';
import { headnormKernels } from './headnorm.ts';

/** CPU kernels that only pretrained models need, by `kernel.entry`. */
export const pretrainedKernels: ProcessorKernels = {
  ...elementwiseKernels,
  ...frozenKernels,
  ...headnormKernels,
};
