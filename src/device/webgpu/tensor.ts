import type { Tensor } from '../device.ts';
import { KernelArgumentError } from '../errors.ts';

/** A tensor stored in a range of a GPU buffer. */
export interface GpuTensor extends Tensor {
  readonly buffer: GPUBuffer;
  /** Byte offset into the buffer; a multiple of 256. */
  readonly offset: number;
}

/** @throws KernelArgumentError if the tensor was not created by a GPU device */
export function onGpu(tensor: Tensor): GpuTensor {
  if (!('buffer' in tensor)) {
    throw new KernelArgumentError(tensor.label, 'this tensor belongs to another device');
  }
  return tensor as GpuTensor;
}
