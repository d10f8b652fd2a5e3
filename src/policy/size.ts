import type { Device, Tensor } from '../device/index.ts';
import { Network } from './network.ts';
import type { PolicyCapacity, PolicyShape } from './types.ts';

/** Size and cost of a policy. */
export interface PolicySize {
  /** Number of trainable parameters. */
  readonly parameters: number;
  /** Device memory in bytes: weights, gradients, moments, activations, caches and buffers. */
  readonly bytes: number;
  /** Bytes of its largest tensor; GPUs limit the size of a binding. */
  readonly largest: number;
  /** Multiply–adds of one token's forward pass, including its logits. */
  readonly work: number;
}

/**
 * Computes the size of a policy without creating one.
 *
 * @param reference whether it also stores the weights of a reference policy
 * @throws {PolicyShapeError} for an unsupported shape.
 */
export function policySize(
  shape: PolicyShape,
  capacity: PolicyCapacity,
  reference: boolean,
  kind: Device['kind'] = 'gpu',
): PolicySize {
  let bytes = 0;
  let largest = 0;
  // A real `Network` on a mock device that only adds up sizes, so that the result stays correct.
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
