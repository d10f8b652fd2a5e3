import type { Tensor } from '../device.ts';
import { KernelArgumentError } from '../errors.ts';

/** A range of a GPU buffer. */
export interface GpuTensor extends Tensor {
  readonly buffer: GPUBuffer;
  /** Bytes from the start of the buffer; a multiple of 256. */
  readonly offset: number;
}

/** @throws KernelArgumentError for a tensor that was not made on a GPU. */
export function onGpu(tensor: Tensor): GpuTensor {
  if (!('buffer' in tensor)) {
    throw new KernelArgumentError(tensor.label, 'this tensor belongs to another device');
  }
  return tensor as GpuTensor;
}
