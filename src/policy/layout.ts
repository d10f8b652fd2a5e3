import type { PolicyShape, WeightTensor } from './types.ts';
import { WeightsError } from './types.ts';

/** Where one parameter lies in the flat parameter buffer. */
export interface ParameterSlot {
  readonly name: string;
  /** Row-major; a linear layer is stored (inputs, outputs), so that y = x·W. */
  readonly shape: readonly number[];
  /** First element; a multiple of 64, so that a kernel can bind the parameter by itself. */
  readonly start: number;
  readonly length: number;
  /** How it is initialised: normal with this standard deviation, or all the same. */
  readonly init: { readonly std: number } | 'ones' | 'zeros';
}

export interface ParameterLayout {
  readonly slots: ReadonlyMap<string, ParameterSlot>;
  /** Elements of the flat buffer, gaps included. */
  readonly length: number;
  /** Weight decay applies to elements before this one: matrices first, norm gains after. */
  readonly decayEnd: number;
  /** Trainable numbers, without gaps and columns that only pad. */
  readonly parameterCount: number;
}

/** Thrown for a shape that the kernels cannot compute. */
export class PolicyShapeError extends Error {
  override readonly name = 'PolicyShapeError';
}

/** Columns of the value head. The first is the value; the others pad it for the kernels and stay 0. */
export const VALUE_COLUMNS = 4;

/** Rows of the token embedding and columns of the head, rounded up for the kernels. */
export function paddedVocabulary(shape: PolicyShape): number {
  return Math.ceil(shape.vocabulary / 4) * 4;
}

/** @throws PolicyShapeError naming the field and what would fit. */
export function checkShape(shape: PolicyShape): void {
  const { vocabulary, layers, width, heads, kvHeads, ffnWidth } = shape;
  for (const [name, value] of Object.entries({
    vocabulary,
    layers,
    width,
    heads,
    kvHeads,
    ffnWidth,
  })) {
    if (!Number.isInteger(value) || value < 1) {
      throw new PolicyShapeError(`${name} must be a whole number of at least 1, got ${value}`);
    }
  }
  if (width % (4 * heads) !== 0) {
    throw new PolicyShapeError(
      `width (${width}) must be a multiple of 4 × heads (${4 * heads}), so that a head has a multiple of 4 dimensions`,
    );
  }
  if (heads % kvHeads !== 0) {
    throw new PolicyShapeError(`kv_heads (${kvHeads}) must divide heads (${heads})`);
  }
  if (ffnWidth % 4 !== 0) {
    throw new PolicyShapeError(`ffn_width (${ffnWidth}) must be a multiple of 4`);
  }
}

/** Names, shapes and places of all parameters of a policy. */
export function parameterLayout(shape: PolicyShape): ParameterLayout {
  checkShape(shape);
  const { layers, width, heads, kvHeads, ffnWidth, tiedEmbeddings, valueHead } = shape;
  const padded = paddedVocabulary(shape);
  const kvWidth = (width / heads) * kvHeads;
  // Projections into the residual stream shrink with its depth (GPT-2's rule), so that the stream
  // starts at about the same size whatever the number of layers.
  const residual = 1 / Math.sqrt(2 * layers);
  const linear = (inputs: number) => 1 / Math.sqrt(inputs);
  const matrices: [string, number[], number][] = [['embedding', [padded, width], linear(width)]];
  const gains: [string, number[]][] = [];
  for (let l = 0; l < layers; l++) {
    const prefix = `layers.${l}`;
    gains.push([`${prefix}.attention_norm`, [width]], [`${prefix}.feed_forward_norm`, [width]]);
    matrices.push(
      [`${prefix}.query`, [width, width], linear(width)],
      [`${prefix}.key_value`, [width, 2 * kvWidth], linear(width)],
      [`${prefix}.attention_output`, [width, width], linear(width) * residual],
      [`${prefix}.gate_up`, [width, 2 * ffnWidth], linear(width)],
      [`${prefix}.down`, [ffnWidth, width], linear(ffnWidth) * residual],
    );
  }
  gains.push(['final_norm', [width]]);
  // A small head makes the first policy nearly uniform, hence its first rollouts diverse.
  if (!tiedEmbeddings) matrices.push(['head', [width, padded], 0.1 * linear(width)]);

  const slots = new Map<string, ParameterSlot>();
  let end = 0;
  let parameterCount = 0;
  const paddingColumns: Readonly<Record<string, number>> = {
    embedding: padded - shape.vocabulary,
    head: padded - shape.vocabulary,
    value_head: VALUE_COLUMNS - 1,
  };
  const place = (name: string, size: number[], init: ParameterSlot['init']) => {
    const length = size.reduce((product, n) => product * n, 1);
    slots.set(name, { name, shape: size, start: end, length, init });
    end = Math.ceil((end + length) / 64) * 64;
    parameterCount += length - width * (paddingColumns[name] ?? 0);
  };
  for (const [name, size, std] of matrices) place(name, size, { std });
  // Last of the matrices, and drawing no numbers, it leaves their initial values as they are.
  if (valueHead) place('value_head', [width, VALUE_COLUMNS], 'zeros');
  const decayEnd = end;
  for (const [name, size] of gains) place(name, size, 'ones');
  return { slots, length: end, decayEnd, parameterCount };
}

/** @throws {WeightsError} where the tensors are not exactly those of the layout. */
export function checkWeights(
  { slots }: ParameterLayout,
  weights: ReadonlyMap<string, WeightTensor>,
): void {
  for (const { name, shape, length } of slots.values()) {
    const given = weights.get(name);
    if (given === undefined) throw new WeightsError(`the tensor ${name} is missing`);
    if (given.shape.join() !== shape.join() || given.values.length !== length) {
      throw new WeightsError(
        `the tensor ${name} must have the shape [${shape.join(', ')}], got [${given.shape.join(', ')}] with ${given.values.length} numbers`,
      );
    }
  }
  for (const name of weights.keys()) {
    if (!slots.has(name)) throw new WeightsError(`there is no parameter ${JSON.stringify(name)}`);
  }
}
