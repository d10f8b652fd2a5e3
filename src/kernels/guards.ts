import { KernelArgumentError, type Tensor } from '../device/index.ts';

/** Throws a KernelArgumentError if the tensor has fewer elements than its shape needs. */
export function expectLength(kernel: string, name: string, tensor: Tensor, shape: number[]): void {
  const wanted = shape.reduce((product, size) => product * size, 1);
  if (tensor.length < wanted) {
    throw new KernelArgumentError(
      kernel,
      `${name} ("${tensor.label}") has ${tensor.length} elements, its shape (${shape.join(', ')}) needs ${wanted}`,
    );
  }
}

/** Throws a KernelArgumentError unless `value` is a multiple of `multiple` and at least `least`. */
export function expectSize(
  kernel: string,
  name: string,
  value: number,
  { least = 0, multiple = 1 }: { least?: number; multiple?: number } = {},
): void {
  if (!Number.isInteger(value) || value < least || value % multiple !== 0) {
    throw new KernelArgumentError(
      kernel,
      `${name} must be a whole number of at least ${least}${multiple > 1 ? `, a multiple of ${multiple}` : ''}; got ${value}`,
    );
  }
}

/** Number of workgroups of `size` invocations needed for `count` invocations. */
export function groups(count: number, size: number): number {
  return Math.ceil(count / size);
}

/** Clamps a limit to ±3e38: WGSL has no infinity. */
export function bounded(limit: number): number {
  return Math.min(Math.max(limit, -3e38), 3e38);
}
