/**
 * Maps the policy's parameters to the names and shapes of the `state_dict()` of Hugging Face transformers'
 * `LlamaForCausalLM` and its descendants (Qwen2, Qwen3, Gemma 3): linear layers as (outputs, inputs);
 * separate query, key, value, gate and up; no padding rows in the vocabulary. Rotary embeddings pair
 * dimension i with i + headDim/2 in both. Gemma's gains are stored minus 1.
 *
 * A value head is stored as `score.weight`, as in `LlamaForSequenceClassification` with one label (the
 * value model of TRL's PPO).
 */
import { architectureOf, attentionWidths, networkLayout } from '../policy/layout.ts';
import type { PolicyShape, WeightTensor } from '../policy/types.ts';

/** A column range of a (rows, columns) policy parameter. */
interface Source {
  readonly parameter: string;
  /** Number of rows without padding. */
  readonly rows: number;
  readonly firstColumn: number;
  readonly columns: number;
  /** Whether it is stored (columns, rows). */
  readonly transposed: boolean;
  /** Added to the stored value to get the policy's value. */
  readonly offset: number;
}

/** A tensor of a Llama checkpoint and its position in the policy. */
export interface LlamaTensor {
  readonly name: string;
  /** As a Llama checkpoint stores it. */
  readonly shape: readonly number[];
  readonly source: Source;
}

/** All tensors of a Llama checkpoint of this shape, in `state_dict()` order. */
export function llamaTensors(shape: PolicyShape): readonly LlamaTensor[] {
  const { vocabulary, layers, width, ffnWidth } = shape;
  const { headDim, qkvBias, qkNorm, postNorms, modelType } = architectureOf(shape);
  const { queries, keys } = attentionWidths(shape);
  const gainOffset = modelType === 'gemma3_text' ? 1 : 0;
  const linear = (
    name: string,
    parameter: string,
    inputs: number,
    outputs: number,
    firstColumn = 0,
  ): LlamaTensor => ({
    name,
    shape: [outputs, inputs],
    source: { parameter, rows: inputs, firstColumn, columns: outputs, transposed: true, offset: 0 },
  });
  const vector = (
    name: string,
    parameter: string,
    columns: number,
    { firstColumn, offset }: { firstColumn: number; offset: number },
  ): LlamaTensor => ({
    name,
    shape: [columns],
    source: { parameter, rows: 1, firstColumn, columns, transposed: false, offset },
  });
  const gain = (name: string, parameter: string, columns = width): LlamaTensor =>
    vector(name, parameter, columns, { firstColumn: 0, offset: gainOffset });
  const bias = (name: string, parameter: string, columns: number, firstColumn = 0): LlamaTensor =>
    vector(name, parameter, columns, { firstColumn, offset: 0 });
  const block = (l: number): LlamaTensor[] => {
    const [to, from] = [`model.layers.${l}`, `layers.${l}`];
    return [
      linear(`${to}.self_attn.q_proj.weight`, `${from}.query`, width, queries),
      linear(`${to}.self_attn.k_proj.weight`, `${from}.key_value`, width, keys),
      linear(`${to}.self_attn.v_proj.weight`, `${from}.key_value`, width, keys, keys),
      ...(qkvBias
        ? [
            bias(`${to}.self_attn.q_proj.bias`, `${from}.query_bias`, queries),
            bias(`${to}.self_attn.k_proj.bias`, `${from}.key_value_bias`, keys),
            bias(`${to}.self_attn.v_proj.bias`, `${from}.key_value_bias`, keys, keys),
          ]
        : []),
      ...(qkNorm
        ? [
            gain(`${to}.self_attn.q_norm.weight`, `${from}.query_norm`, headDim),
            gain(`${to}.self_attn.k_norm.weight`, `${from}.key_norm`, headDim),
          ]
        : []),
      linear(`${to}.self_attn.o_proj.weight`, `${from}.attention_output`, queries, width),
      linear(`${to}.mlp.gate_proj.weight`, `${from}.gate_up`, width, ffnWidth),
      linear(`${to}.mlp.up_proj.weight`, `${from}.gate_up`, width, ffnWidth, ffnWidth),
      linear(`${to}.mlp.down_proj.weight`, `${from}.down`, ffnWidth, width),
      gain(`${to}.input_layernorm.weight`, `${from}.attention_norm`),
      // In Gemma, `post_attention_layernorm` is a different norm than in Llama.
      ...(postNorms
        ? [
            gain(`${to}.post_attention_layernorm.weight`, `${from}.attention_post_norm`),
            gain(`${to}.pre_feedforward_layernorm.weight`, `${from}.feed_forward_norm`),
            gain(`${to}.post_feedforward_layernorm.weight`, `${from}.feed_forward_post_norm`),
          ]
        : [gain(`${to}.post_attention_layernorm.weight`, `${from}.feed_forward_norm`)]),
    ];
  };
  return [
    {
      name: 'model.embed_tokens.weight',
      shape: [vocabulary, width],
      source: {
        parameter: 'embedding',
        rows: vocabulary,
        firstColumn: 0,
        columns: width,
        transposed: false,
        offset: 0,
      },
    },
    ...Array.from({ length: layers }, (_, l) => block(l)).flat(),
    gain('model.norm.weight', 'final_norm'),
    ...(shape.tiedEmbeddings ? [] : [linear('lm_head.weight', 'head', width, vocabulary)]),
    ...(shape.valueHead ? [linear('score.weight', 'value_head', width, 1)] : []),
  ];
}

/** Columns of a policy parameter, including padding. */
function rowLength(shape: PolicyShape, parameter: string): number {
  return networkLayout(shape).slots.get(parameter)?.shape.at(-1) ?? 0;
}

/** Converts policy weights to Llama checkpoint tensors. */
export function toLlama(
  shape: PolicyShape,
  weights: ReadonlyMap<string, WeightTensor>,
): Map<string, WeightTensor> {
  return new Map(
    llamaTensors(shape).map((tensor) => [
      tensor.name,
      { shape: tensor.shape, values: read(shape, tensor.source, weights) },
    ]),
  );
}

function read(
  shape: PolicyShape,
  source: Source,
  weights: ReadonlyMap<string, WeightTensor>,
): Float32Array {
  const from = weights.get(source.parameter)?.values;
  if (from === undefined) throw new RangeError(`no parameter ${source.parameter}`);
  const values = new Float32Array(source.rows * source.columns);
  each(shape, source, (there, here) => {
    values[there] = (from[here] ?? 0) - source.offset;
  });
  return values;
}

/**
 * Converts Llama checkpoint tensors, of the shapes of `llamaTensors`, to policy weights. Padding is 0.
 */
export function fromLlama(
  shape: PolicyShape,
  tensors: ReadonlyMap<string, WeightTensor>,
): Map<string, WeightTensor> {
  const { slots } = networkLayout(shape);
  const weights = new Map<string, WeightTensor>();
  for (const { name, shape: dims, length } of slots.values()) {
    weights.set(name, { shape: dims, values: new Float32Array(length) });
  }
  for (const { name, source } of llamaTensors(shape)) {
    const [from, to] = [tensors.get(name)?.values, weights.get(source.parameter)?.values];
    if (from === undefined || to === undefined) throw new RangeError(`no tensor ${name}`);
    each(shape, source, (there, here) => {
      to[here] = (from[there] ?? 0) + source.offset;
    });
  }
  return weights;
}

/** Calls `visit` with each element's index in the Llama tensor and in the policy parameter. */
function each(
  shape: PolicyShape,
  { parameter, rows, firstColumn, columns, transposed }: Source,
  visit: (there: number, here: number) => void,
): void {
  const stride = rowLength(shape, parameter);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      visit(transposed ? c * rows + r : r * columns + c, r * stride + firstColumn + c);
    }
  }
}
