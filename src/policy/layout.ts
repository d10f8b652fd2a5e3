import { frozenGroup } from '../kernels/frozen-pack.ts';
import type { Adapter, AdapterTarget, Architecture, PolicyShape, WeightTensor } from './types.ts';
import { WeightsError } from './types.ts';

/** Position of a parameter in the flat parameter buffer. */
export interface ParameterSlot {
  readonly name: string;
  /** Row-major; a linear layer is stored (inputs, outputs), so that y = x·W. */
  readonly shape: readonly number[];
  /** First element; a multiple of 64, so that kernels can bind each parameter separately. */
  readonly start: number;
  readonly length: number;
  /** Initialization: normal with this standard deviation, or constant. */
  readonly init: { readonly std: number } | 'ones' | 'zeros';
}

export interface ParameterLayout {
  readonly slots: ReadonlyMap<string, ParameterSlot>;
  /** Elements of the flat buffer, gaps included. */
  readonly length: number;
  /** Weight decay applies to elements before this one: matrices first, norm gains after. */
  readonly decayEnd: number;
  /** Number of trainable parameters, without gaps and padding columns. */
  readonly parameterCount: number;
}

/** Thrown for a shape that the kernels do not support. */
export class PolicyShapeError extends Error {
  override readonly name = 'PolicyShapeError';
}

/** Columns of the value head. The first is the value; the others pad it for the kernels and stay 0. */
export const VALUE_COLUMNS = 4;

/** Largest rank of an adapter. */
export const MOST_RANK = 256;
export const MOST_ALPHA = 1e6;

/** Largest head dimension that the attention kernels support. */
const MOST_HEAD_DIM = 256;

/** Rows of the token embedding and columns of the head, rounded up for the kernels. */
export function paddedVocabulary(shape: PolicyShape): number {
  return Math.ceil(shape.vocabulary / 4) * 4;
}

/** The block of a policy; Palestra's own is Llama's (arXiv:2302.13971) with these constants. */
export function architectureOf({ architecture, width, heads }: PolicyShape): Architecture {
  return (
    architecture ?? {
      modelType: 'llama',
      headDim: width / heads,
      rmsNormEps: 1e-5,
      ropeTheta: 10_000,
      qkvBias: false,
      qkNorm: false,
      postNorms: false,
      activation: 'silu',
      embeddingScale: 1,
      sliding: null,
    }
  );
}

/** Widths of a token's queries and keys; its values are as wide as its keys. */
export function attentionWidths(shape: PolicyShape): { queries: number; keys: number } {
  const { headDim } = architectureOf(shape);
  return { queries: shape.heads * headDim, keys: shape.kvHeads * headDim };
}

/** @throws PolicyShapeError naming the field and the allowed values. */
export function checkShape(shape: PolicyShape): void {
  const { vocabulary, layers, width, heads, kvHeads, ffnWidth, architecture, adapter } = shape;
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
  if (architecture) checkArchitecture(shape, architecture);
  if (adapter) checkAdapter(shape, adapter);
  if (!architecture && width % (4 * heads) !== 0) {
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

function checkArchitecture({ width, layers }: PolicyShape, architecture: Architecture): void {
  const { headDim, rmsNormEps, ropeTheta, embeddingScale, sliding } = architecture;
  const fail = (what: string): never => {
    throw new PolicyShapeError(what);
  };
  if (width % 4 !== 0) fail(`width (${width}) must be a multiple of 4`);
  if (!Number.isInteger(headDim) || headDim < 4 || headDim % 4 !== 0 || headDim > MOST_HEAD_DIM) {
    fail(`head_dim must be a multiple of 4 of at most ${MOST_HEAD_DIM}, got ${headDim}`);
  }
  for (const [name, value] of Object.entries({ rmsNormEps, ropeTheta, embeddingScale })) {
    if (!(value > 0 && value < 1e12)) fail(`${name} must be a positive number, got ${value}`);
  }
  if (!sliding) return;
  if (!Number.isInteger(sliding.tokens) || sliding.tokens < 1) {
    fail(`sliding.tokens must be a whole number of at least 1, got ${sliding.tokens}`);
  }
  if (sliding.layers.length !== layers) {
    fail(`sliding.layers must have ${layers} entries, got ${sliding.layers.length}`);
  }
}

function checkAdapter(shape: PolicyShape, { rank, alpha, targets, base }: Adapter): void {
  const fail = (what: string): never => {
    throw new PolicyShapeError(what);
  };
  if (!Number.isInteger(rank) || rank < 4 || rank % 4 !== 0 || rank > MOST_RANK) {
    fail(`lora rank must be a multiple of 4 from 4 to ${MOST_RANK}, got ${rank}`);
  }
  if (!(alpha > 0 && alpha <= MOST_ALPHA)) {
    fail(`lora alpha must be above 0 and at most ${MOST_ALPHA}, got ${alpha}`);
  }
  if (targets.length === 0) fail('lora targets must name at least one linear layer');
  // A packed matrix needs an input width that is a multiple of the group size.
  const group = frozenGroup[base];
  const inputs = { width: shape.width, queries: attentionWidths(shape).queries };
  for (const [name, size] of Object.entries({ ...inputs, ffn_width: shape.ffnWidth })) {
    if (size % group !== 0) {
      fail(`${name} (${size}) must be a multiple of ${group} for a frozen base in ${base}`);
    }
  }
}

/** PEFT's names for the parts of each linear layer, in column order. */
const parts: Readonly<Record<string, readonly AdapterTarget[]>> = {
  query: ['q_proj'],
  key_value: ['k_proj', 'v_proj'],
  attention_output: ['o_proj'],
  gate_up: ['gate_proj', 'up_proj'],
  down: ['down_proj'],
};

/** An adapted part of a linear layer: output columns `begin` .. `end`−1, and where its ranks start. */
export interface AdaptedPart {
  readonly target: AdapterTarget;
  readonly begin: number;
  readonly end: number;
  /** First of its `rank` columns of A and rows of B. */
  readonly firstRank: number;
}

/** An adapted linear layer (inputs, outputs): A (inputs, ranks) and B (ranks, outputs). */
export interface AdaptedLinear {
  readonly inputs: number;
  readonly outputs: number;
  readonly ranks: number;
  readonly parts: readonly AdaptedPart[];
}

/** Adapted linear layers by the network's matrix names; empty without an adapter. */
export function adaptedLinears(shape: PolicyShape): ReadonlyMap<string, AdaptedLinear> {
  const { adapter } = shape;
  const adapted = new Map<string, AdaptedLinear>();
  if (!adapter) return adapted;
  const { slots } = networkLayout(shape);
  for (let l = 0; l < shape.layers; l++) {
    for (const [linear, targets] of Object.entries(parts)) {
      const name = `layers.${l}.${linear}`;
      const [inputs = 0, outputs = 0] = slots.get(name)?.shape ?? [];
      const columns = outputs / targets.length;
      const found = targets
        .map((target, i) => ({ target, begin: i * columns, end: (i + 1) * columns }))
        .filter(({ target }) => adapter.targets.includes(target))
        .map((part, i) => ({ ...part, firstRank: i * adapter.rank }));
      if (found.length === 0) continue;
      adapted.set(name, { inputs, outputs, ranks: found.length * adapter.rank, parts: found });
    }
  }
  return adapted;
}

/** Layout of the trained parameters: the adapter's if there is one. */
export function parameterLayout(shape: PolicyShape): ParameterLayout {
  return shape.adapter ? adapterLayout(shape) : networkLayout(shape);
}

/** Names of an adapted matrix's A and B. */
export function adapterNames(matrix: string): { readonly a: string; readonly b: string } {
  return { a: `${matrix}.lora_a`, b: `${matrix}.lora_b` };
}

function adapterLayout(shape: PolicyShape): ParameterLayout {
  const slots: ParameterSlot[] = [];
  let padding = 0;
  for (const [name, { inputs, outputs, ranks, parts }] of adaptedLinears(shape)) {
    const { a, b } = adapterNames(name);
    // The standard deviation of PEFT's uniform initialization within ±1/√inputs.
    const init = { std: 1 / Math.sqrt(3 * inputs) };
    slots.push({ name: a, shape: [inputs, ranks], start: 0, length: inputs * ranks, init });
    const length = ranks * outputs;
    slots.push({ name: b, shape: [ranks, outputs], start: 0, length, init: 'zeros' });
    // Elements outside the parts' blocks stay 0.
    const own = parts.reduce((sum, { begin, end }) => sum + (end - begin), 0);
    padding += ranks * outputs - (own * ranks) / parts.length;
  }
  if (shape.valueHead) {
    const length = shape.width * VALUE_COLUMNS;
    const size = [shape.width, VALUE_COLUMNS];
    slots.push({ name: 'value_head', shape: size, start: 0, length, init: 'zeros' });
    padding += shape.width * (VALUE_COLUMNS - 1);
  }
  const placed = new Map<string, ParameterSlot>();
  let end = 0;
  for (const slot of slots) {
    placed.set(slot.name, { ...slot, start: end });
    end = Math.ceil((end + slot.length) / 64) * 64;
  }
  const parameterCount = slots.reduce((sum, { length }) => sum + length, -padding);
  return { slots: placed, length: end, decayEnd: end, parameterCount };
}

/** Layout of all weights of the network, without the adapter's. */
export function networkLayout(shape: PolicyShape): ParameterLayout {
  checkShape(shape);
  const { layers, width, ffnWidth, tiedEmbeddings, valueHead } = shape;
  const { headDim, qkvBias, qkNorm, postNorms } = architectureOf(shape);
  const padded = paddedVocabulary(shape);
  const { queries, keys } = attentionWidths(shape);
  // Projections into the residual stream shrink with depth (GPT-2's rule), so that its initial
  // scale does not depend on the number of layers.
  const residual = 1 / Math.sqrt(2 * layers);
  const linear = (inputs: number) => 1 / Math.sqrt(inputs);
  const matrices: [string, number[], number][] = [['embedding', [padded, width], linear(width)]];
  const gains: [string, number[]][] = [];
  const biases: [string, number[]][] = [];
  for (let l = 0; l < layers; l++) {
    const prefix = `layers.${l}`;
    gains.push([`${prefix}.attention_norm`, [width]], [`${prefix}.feed_forward_norm`, [width]]);
    matrices.push(
      [`${prefix}.query`, [width, queries], linear(width)],
      [`${prefix}.key_value`, [width, 2 * keys], linear(width)],
      [`${prefix}.attention_output`, [queries, width], linear(queries) * residual],
      [`${prefix}.gate_up`, [width, 2 * ffnWidth], linear(width)],
      [`${prefix}.down`, [ffnWidth, width], linear(ffnWidth) * residual],
    );
    if (qkvBias) {
      biases.push([`${prefix}.query_bias`, [queries]], [`${prefix}.key_value_bias`, [2 * keys]]);
    }
    if (qkNorm) gains.push([`${prefix}.query_norm`, [headDim]], [`${prefix}.key_norm`, [headDim]]);
    if (postNorms) {
      gains.push([`${prefix}.attention_post_norm`, [width]]);
      gains.push([`${prefix}.feed_forward_post_norm`, [width]]);
    }
  }
  gains.push(['final_norm', [width]]);
  // A small head makes the initial policy nearly uniform and its first rollouts diverse.
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
  // The value head is the last matrix and starts at 0, so that it does not change the initial values of
  // the other matrices.
  if (valueHead) place('value_head', [width, VALUE_COLUMNS], 'zeros');
  const decayEnd = end;
  for (const [name, size] of gains) place(name, size, 'ones');
  for (const [name, size] of biases) place(name, size, 'zeros');
  return { slots, length: end, decayEnd, parameterCount };
}

/** @throws {WeightsError} if the tensors do not match the layout exactly. */
export function checkWeights(
  { slots }: ParameterLayout,
  weights: ReadonlyMap<string, WeightTensor>,
): void {
  for (const { name, shape, length } of slots.values()) {
    const given = weights.get(name);
    if (given === undefined) throw new WeightsError(`the tensor ${name} is missing`);
    if (given.shape.join() !== shape.join() || given.values.length !== length) {
      throw new WeightsError(
        `the tensor ${name} must have shape [${shape.join(', ')}], got [${given.shape.join(', ')}] with ${given.values.length} numbers`,
      );
    }
  }
  for (const name of weights.keys()) {
    if (!slots.has(name)) throw new WeightsError(`there is no parameter ${JSON.stringify(name)}`);
  }
}
