import type { Device, Tensor } from '../device/index.ts';
import { Network } from './network.ts';
import type { PolicyCapacity, PolicyShape } from './types.ts';

/** What a policy takes. */
export interface PolicySize {
  /** Trainable numbers. */
  readonly parameters: number;
  /** GPU memory: weights, gradients, moments, activations, caches and all else that it has. */
  readonly bytes: number;
  /** Of its largest tensor: an adapter binds no more than so many at once. */
  readonly largest: number;
  /** Multiply–adds of one token's forward pass, its logits included. */
  readonly work: number;
}

/**
 * The size of a policy without making one.
 *
 * @param reference whether it keeps the weights of a reference policy as well
 * @throws {PolicyShapeError} for a shape that the kernels cannot compute.
 */
export function policySize(
  shape: PolicyShape,
  capacity: PolicyCapacity,
  reference: boolean,
  kind: Device['kind'] = 'gpu',
): PolicySize {
  let bytes = 0;
  let largest = 0;
  // The network itself, on a GPU that only counts: another sum of its tensors would soon be wrong.
  const counting = {
    kind,
    tensor(label: string, length: number): Tensor {
      bytes += 4 * length;
      largest = Math.max(largest, 4 * length);
      return { label, length, offset: 0 } as Tensor;
    },
    slice: (_tensor: Tensor, label: string, _start: number, length: number): Tensor =>
      ({ label, length, offset: 0 }) as Tensor,
  } satisfies Pick<Device, 'kind' | 'tensor' | 'slice'>;
  const net = new Network(counting as unknown as Device, shape, capacity);
  if (reference) net.makeReference();
  return {
    parameters: net.layout.parameterCount,
    bytes,
    largest,
    work: shape.layers * net.blockWork + net.logitWork,
  };
}
