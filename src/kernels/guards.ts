import { KernelArgumentError, type Tensor } from '../device/index.ts';

/** Asserts that a tensor holds at least the elements its shape asks for. */
export function expectLength(kernel: string, name: string, tensor: Tensor, shape: number[]): void {
  const wanted = shape.reduce((product, size) => product * size, 1);
  if (tensor.length < wanted) {
    throw new KernelArgumentError(
      kernel,
      `${name} ("${tensor.label}") has ${tensor.length} elements, its shape (${shape.join(', ')}) needs ${wanted}`,
    );
  }
}

/** Asserts a whole number at or above `least`, and a multiple of `multiple`. */
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

/** Workgroups of `size` invocations that cover `count`. */
export function groups(count: number, size: number): number {
  return Math.ceil(count / size);
}

/** A limit as a shader can take it: WGSL has no infinity, so the ends of float32 stand for it. */
export function bounded(limit: number): number {
  return Math.min(Math.max(limit, -3e38), 3e38);
}
