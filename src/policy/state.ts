import type { Tensor } from '../device/index.ts';
import { sumParts } from '../kernels/reduce.ts';
import { optimizerColumns } from '../kernels/tables.ts';
import { checkWeights, type ParameterLayout } from './layout.ts';
import type { Network } from './network.ts';
import type { PolicyState, WeightTensor } from './types.ts';
import { WeightsError } from './types.ts';

/** Reads a tensor in the parameter layout, by parameter name. */
export async function readNamed(net: Network, flat: Tensor): Promise<Map<string, WeightTensor>> {
  return named(net.layout, new Float32Array(await net.device.read(flat)));
}

/** @throws {WeightsError} naming the first tensor that does not fit; nothing has changed then. */
export function writeWeights(net: Network, weights: ReadonlyMap<string, WeightTensor>): void {
  checkWeights(net.layout, weights);
  net.device.upload(net.parameters.flat, flatten(net.layout, weights));
}

export async function readState(net: Network, version: number): Promise<PolicyState> {
  const { layout } = net;
  const reference = net.reference?.flat;
  const parts = [net.parameters.flat, net.firstMoments, net.secondMoments];
  if (reference) parts.push(reference);
  const [optimizer, ...flat] = await net.device.submit('read state', () => {}, [
    { tensor: net.optimizer, length: optimizerColumns.length },
    ...parts.map((tensor) => ({ tensor, length: layout.length })),
  ]);
  const part = (i: number) => named(layout, new Float32Array(flat[i] ?? new ArrayBuffer(0)));
  return {
    weights: part(0),
    firstMoments: part(1),
    secondMoments: part(2),
    optimizer: new Float32Array(optimizer ?? new ArrayBuffer(0)),
    reference: reference ? part(3) : null,
    version,
  };
}

/** @throws {WeightsError} naming the mismatch; nothing has changed then. */
export function writeState(net: Network, state: PolicyState): void {
  const { device, layout } = net;
  const { weights, firstMoments, secondMoments, optimizer, reference } = state;
  for (const tensors of [weights, firstMoments, secondMoments, ...(reference ? [reference] : [])]) {
    checkWeights(layout, tensors);
  }
  if (optimizer.length !== optimizerColumns.length) {
    throw new WeightsError(
      `the optimizer's state must have ${optimizerColumns.length} numbers, got ${optimizer.length}`,
    );
  }
  device.upload(net.parameters.flat, flatten(layout, weights));
  device.upload(net.firstMoments, flatten(layout, firstMoments));
  device.upload(net.secondMoments, flatten(layout, secondMoments));
  device.upload(net.optimizer, optimizer);
  if (reference) device.upload(net.makeReference().flat, flatten(layout, reference));
  else net.freeReference();
}

export function restartOptimizer(net: Network): void {
  const { device, layout } = net;
  device.upload(net.firstMoments, new Float32Array(layout.length));
  device.upload(net.secondMoments, new Float32Array(layout.length));
  device.upload(net.optimizer, new Float32Array(optimizerColumns.length));
}

export function keepReference(net: Network): void {
  const copy = { partial: net.parameters.flat, y: net.makeReference().flat };
  // A device failure is reported by the next submission.
  void net.device
    .submit('keep reference', (d) => {
      // A sum of one part is a copy.
      sumParts(d, copy, { length: net.layout.length, parts: 1 }, false);
    })
    .catch(() => {});
}

function flatten(
  layout: ParameterLayout,
  tensors: ReadonlyMap<string, WeightTensor>,
): Float32Array {
  const flat = new Float32Array(layout.length);
  for (const { name, start } of layout.slots.values()) {
    flat.set(tensors.get(name)?.values ?? [], start);
  }
  return flat;
}

function named(layout: ParameterLayout, flat: Float32Array): Map<string, WeightTensor> {
  return new Map(
    [...layout.slots.values()].map(({ name, shape, start, length }) => [
      name,
      { shape, values: flat.slice(start, start + length) },
    ]),
  );
}
