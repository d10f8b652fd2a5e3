/**
 * The policy's parameters by the names and shapes that Llama checkpoints of Hugging Face transformers
 * have (`LlamaForCausalLM.state_dict()`): a linear layer is stored (outputs, inputs), queries, keys,
 * values, gate and up each by themselves, and no row only pads the vocabulary. Rotary positions pair
 * dimension i with i + headDim/2 there as here, so no head's dimensions change places.
 *
 * A value head is stored as `score.weight`, the name that `LlamaForSequenceClassification` with one
 * label has for it (the value model of trl's PPO).
 */
import { parameterLayout } from '../policy/layout.ts';
import type { PolicyShape, WeightTensor } from '../policy/types.ts';

/** Part of a parameter of the policy: these columns of its (rows, columns). */
interface Source {
  readonly parameter: string;
  /** Rows that carry something; the others pad. */
  readonly rows: number;
  readonly firstColumn: number;
  readonly columns: number;
  /** Whether it is stored (columns, rows). */
  readonly transposed: boolean;
}

/** A tensor of a Llama checkpoint, and where it lies in the policy. */
export interface LlamaTensor {
  readonly name: string;
  /** As a Llama checkpoint stores it. */
  readonly shape: readonly number[];
  readonly source: Source;
}

/** All tensors of a Llama checkpoint of this shape, in the order of `state_dict()`. */
export function llamaTensors(shape: PolicyShape): readonly LlamaTensor[] {
  const { vocabulary, layers, width, heads, kvHeads, ffnWidth } = shape;
  const kvWidth = (width / heads) * kvHeads;
  const linear = (
    name: string,
    parameter: string,
    inputs: number,
    outputs: number,
    firstColumn = 0,
  ): LlamaTensor => ({
    name,
    shape: [outputs, inputs],
    source: { parameter, rows: inputs, firstColumn, columns: outputs, transposed: true },
  });
  const gain = (name: string, parameter: string): LlamaTensor => ({
    name,
    shape: [width],
    source: { parameter, rows: 1, firstColumn: 0, columns: width, transposed: false },
  });
  const block = (l: number): LlamaTensor[] => {
    const [to, from] = [`model.layers.${l}`, `layers.${l}`];
    return [
      linear(`${to}.self_attn.q_proj.weight`, `${from}.query`, width, width),
      linear(`${to}.self_attn.k_proj.weight`, `${from}.key_value`, width, kvWidth),
      linear(`${to}.self_attn.v_proj.weight`, `${from}.key_value`, width, kvWidth, kvWidth),
      linear(`${to}.self_attn.o_proj.weight`, `${from}.attention_output`, width, width),
      linear(`${to}.mlp.gate_proj.weight`, `${from}.gate_up`, width, ffnWidth),
      linear(`${to}.mlp.up_proj.weight`, `${from}.gate_up`, width, ffnWidth, ffnWidth),
      linear(`${to}.mlp.down_proj.weight`, `${from}.down`, ffnWidth, width),
      gain(`${to}.input_layernorm.weight`, `${from}.attention_norm`),
      gain(`${to}.post_attention_layernorm.weight`, `${from}.feed_forward_norm`),
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
      },
    },
    ...Array.from({ length: layers }, (_, l) => block(l)).flat(),
    gain('model.norm.weight', 'final_norm'),
    ...(shape.tiedEmbeddings ? [] : [linear('lm_head.weight', 'head', width, vocabulary)]),
    ...(shape.valueHead ? [linear('score.weight', 'value_head', width, 1)] : []),
  ];
}

/** Columns of a parameter of the policy, padding included. */
function rowLength(shape: PolicyShape, parameter: string): number {
  return parameterLayout(shape).slots.get(parameter)?.shape.at(-1) ?? 0;
}

/** The policy's weights as a Llama checkpoint holds them. */
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
    values[there] = from[here] ?? 0;
  });
  return values;
}

/**
 * The policy's weights from the tensors of a Llama checkpoint, which have the shapes of
 * `llamaTensors`; what only pads is 0.
 */
export function fromLlama(
  shape: PolicyShape,
  tensors: ReadonlyMap<string, WeightTensor>,
): Map<string, WeightTensor> {
  const { slots } = parameterLayout(shape);
  const weights = new Map<string, WeightTensor>();
  for (const { name, shape: dims, length } of slots.values()) {
    weights.set(name, { shape: dims, values: new Float32Array(length) });
  }
  for (const { name, source } of llamaTensors(shape)) {
    const [from, to] = [tensors.get(name)?.values, weights.get(source.parameter)?.values];
    if (from === undefined || to === undefined) throw new RangeError(`no tensor ${name}`);
    each(shape, source, (there, here) => {
      to[here] = from[there] ?? 0;
    });
  }
  return weights;
}

/** Calls with the place of every number in a Llama checkpoint's tensor and in the policy's parameter. */
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
