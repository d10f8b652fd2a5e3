import { packMatrix } from '../kernels/frozen-pack.ts';
import { networkLayout, paddedVocabulary } from './layout.ts';
import { type FrozenNetwork, frozenShape, type Network } from './network.ts';
import type { FrozenWeights, PolicyShape } from './types.ts';
import { WeightsError } from './types.ts';

/** A weight of the frozen network, with its shape without padding. */
export interface FrozenSlot {
  readonly name: string;
  /** Shape of the array that `FrozenWeights` returns. */
  readonly shape: readonly number[];
}

/** The weights of a frozen network, in the order in which they are requested. */
export function frozenSlots(shape: PolicyShape): FrozenSlot[] {
  return [...networkLayout(shape).slots.values()]
    .filter(({ name }) => name !== 'value_head')
    .map(({ name, shape: size }) => {
      const ofTokens = name === 'embedding' || name === 'head';
      return { name, shape: ofTokens ? [shape.vocabulary, shape.width] : frozenShape(name, size) };
    });
}

/** @throws {WeightsError} for a weight of the wrong length or with a non-finite number */
export async function uploadFrozen(
  { device, shape }: Network,
  { matrices, vectors }: FrozenNetwork,
  read: FrozenWeights,
): Promise<void> {
  for (const { name, shape: size } of frozenSlots(shape)) {
    const given = await read(name);
    const length = size.reduce((product, n) => product * n, 1);
    if (given.length !== length) {
      throw new WeightsError(`${name} must have ${length} numbers, got ${given.length}`);
    }
    const bad = given.findIndex((value) => !Number.isFinite(value));
    if (bad !== -1) throw new WeightsError(`number ${bad} of ${name} is not finite`);
    const matrix = matrices.get(name);
    if (!matrix) {
      const vector = vectors.byName.get(name);
      if (vector) device.upload(vector, given);
      continue;
    }
    const padded = name === 'embedding' || name === 'head' ? withPadding(shape, given) : given;
    const { words, scales } = packMatrix(matrix.precision, padded);
    device.upload(matrix.words, words);
    if (scales.length > 0) device.upload(matrix.scales, scales);
  }
}

/** Adds rows of zeros for padding tokens. */
function withPadding(shape: PolicyShape, table: Float32Array): Float32Array {
  const padded = paddedVocabulary(shape) * shape.width;
  if (padded === table.length) return table;
  const grown = new Float32Array(padded);
  grown.set(table);
  return grown;
}
