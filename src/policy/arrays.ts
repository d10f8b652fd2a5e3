import { KernelArgumentError } from '../device/index.ts';

/** Element i of a typed array. @throws for an index out of range */
export function at(array: Uint32Array | Float32Array, i: number): number {
  const value = array[i];
  if (value === undefined) {
    throw new KernelArgumentError('policy', `element ${i} of an array of ${array.length}`);
  }
  return value;
}
