/** Exports the policy as an ONNX graph of standard operators. */

import { policyShape } from '../agents/shape.ts';
import type { PolicyShape, WeightTensor } from '../policy/types.ts';
import type { KeptAgent } from '../runs/checkpoint.ts';
import { RMS_NORM_EPS, ROPE_THETA } from './llama-config.ts';
import { llamaTensors, toLlama } from './llama-tensors.ts';
import { ElementType, encodeModel, type OnnxValue } from './onnx-format.ts';
import { OnnxGraph } from './onnx-graph.ts';

interface OnnxOptions {
  /**
   * Whether the graph takes cached keys and values (`past_key_values.…`) and returns them
   * (`present.…`).
   */
  readonly cache: boolean;
}

/** Keys of `metadata_props`; config, vocabulary and byte-pair rules are JSON. */
export const onnxMetadata = {
  version: 'palestra_onnx',
  config: 'config',
  vocabulary: 'vocabulary',
  /** For byte-pair tokenizers only. */
  bpe: 'bpe',
} as const;
export const ONNX_VERSION = '2';

/**
 * Exports the policy as an `.onnx` file: a decoder with dynamic batch and length and the input and
 * output names of Hugging Face's Llama exporters. For B rows of L new tokens after P cached ones:
 *
 * - `input_ids` (B, L), `attention_mask` (B, P + L; 0 for padding), `position_ids` (B, L; below the
 *   agent's context length), all int64, and with a cache `past_key_values.N.key` and `.value` (B,
 *   kvHeads, P, headDim);
 * - `logits` (B, L, vocabulary), with a value head `values` (B, L), and with a cache
 *   `present.N.key` and `.value` (B, kvHeads, P + L, headDim).
 */
export function exportOnnx(checkpoint: KeptAgent, { cache }: OnnxOptions): Uint8Array<ArrayBuffer> {
  const { config, vocabulary, bpe, weights } = checkpoint;
  const shape = policyShape(config, vocabulary.length);
  const { context_length: contextLength } = config.agent;
  const decoder = new Decoder(shape, toLlama(shape, weights), contextLength, cache);
  const environments = config.env.mixture.map(({ id }) => id).join(', ') || config.env.id;
  return encodeModel({
    docString: `A Palestra agent for ${environments}: a Llama decoder with ${shape.layers} layers${cache ? ' with a key–value cache' : ''}.`,
    metadata: new Map([
      [onnxMetadata.version, ONNX_VERSION],
      [onnxMetadata.config, JSON.stringify(config)],
      [onnxMetadata.vocabulary, JSON.stringify(vocabulary)],
      ...(bpe === null ? [] : [[onnxMetadata.bpe, JSON.stringify(bpe)] as const]),
      ...(['iteration', 'turns', 'tokens'] as const).map(
        (name) => [name, String(checkpoint[name])] as const,
      ),
    ]),
    graphName: cache ? 'llama_decoder_with_cache' : 'llama_decoder',
    nodes: decoder.graph.nodes,
    initializers: decoder.graph.initializers,
    inputs: decoder.inputs(),
    outputs: decoder.outputs(),
  });
}

/** The graph of a shape with empty parameters and position tables, for comparison. */
export function decoderGraph(shape: PolicyShape, cache: boolean): OnnxGraph {
  const empty = new Map(
    llamaTensors(shape).map((tensor) => [
      tensor.name,
      { shape: tensor.shape, values: new Float32Array(0) },
    ]),
  );
  return new Decoder(shape, empty, 0, cache).graph;
}

/** All operators used by exported graphs. */
export const onnxOperators: ReadonlySet<string> = new Set(
  'Add And Cast Concat Div Gather LessOrEqual MatMul Mul Range ReduceMean Reshape Shape Sigmoid Softmax Split Sqrt Squeeze Sub Transpose Unsqueeze Where'.split(
    ' ',
  ),
);

/** Name suffix of linear layers, stored as (inputs, outputs). */
export const TRANSPOSED = '.transposed';

const ids = { input: 'input_ids', mask: 'attention_mask', positions: 'position_ids' } as const;
const past = (layer: number, of: 'key' | 'value') => `past_key_values.${layer}.${of}`;
const present = (layer: number, of: 'key' | 'value') => `present.${layer}.${of}`;

/** Score of masked positions: the lowest float32, so that no row becomes NaN. */
const NEVER = -3.4028234663852886e38;

class Decoder {
  readonly graph = new OnnxGraph();
  readonly shape: PolicyShape;
  readonly cache: boolean;
  readonly #headDim: number;
  readonly #contextLength: number;
  readonly #tensors: ReadonlyMap<string, WeightTensor>;

  /**
   * @param tensors by the names of `llamaTensors`
   * @param contextLength number of positions
   */
  constructor(
    shape: PolicyShape,
    tensors: ReadonlyMap<string, WeightTensor>,
    contextLength: number,
    cache: boolean,
  ) {
    this.shape = shape;
    this.cache = cache;
    this.#headDim = shape.width / shape.heads;
    this.#contextLength = contextLength;
    this.#tensors = tensors;
    this.#build();
  }

  inputs(): OnnxValue[] {
    const int64 = (name: string, length: string, docString: string): OnnxValue => ({
      name,
      elementType: ElementType.int64,
      shape: ['batch', length],
      docString,
    });
    const total = this.cache ? 'past_length + length' : 'length';
    const caches = this.#cacheValues(past, 'past_length', 'of the cached tokens');
    return [
      int64(ids.input, 'length', 'New tokens.'),
      int64(ids.mask, total, '1 for tokens to attend to, 0 for padding.'),
      int64(
        ids.positions,
        'length',
        `Position of each new token in its sequence, from 0 to ${this.#contextLength - 1}.`,
      ),
      ...(this.cache ? caches : []),
    ];
  }

  outputs(): OnnxValue[] {
    const { vocabulary, valueHead } = this.shape;
    const float = (name: string, shape: (string | number)[], docString: string): OnnxValue => ({
      name,
      elementType: ElementType.float32,
      shape,
      docString,
    });
    return [
      float('logits', ['batch', 'length', vocabulary], 'Next-token logits at each position.'),
      ...(valueHead ? [float('values', ['batch', 'length'], 'Estimated return.')] : []),
      ...(this.cache ? this.#cacheValues(present, 'past_length + length', 'of all tokens') : []),
    ];
  }

  #cacheValues(name: typeof past, length: string, whose: string): OnnxValue[] {
    return Array.from({ length: this.shape.layers }, (_, l) =>
      (['key', 'value'] as const).map((of) => ({
        name: name(l, of),
        elementType: ElementType.float32,
        shape: ['batch', this.shape.kvHeads, length, this.#headDim],
        docString: `${of === 'key' ? 'Rotated keys' : 'Values'} ${whose} in layer ${l}.`,
      })),
    ).flat();
  }

  #build(): void {
    const { graph, shape } = this;
    const embedding = this.#tensor('model.embed_tokens.weight');
    const allowed = this.#allowed();
    const turns = this.#turns();
    let x = graph.add('Gather', '/embed_tokens/Gather', [embedding, ids.input]);
    for (let l = 0; l < shape.layers; l++) x = this.#block(l, x, allowed, turns);
    const normed = this.#norm('/norm', 'model.norm.weight', x);
    const head = shape.tiedEmbeddings
      ? graph.add('Transpose', '/lm_head/Transpose', [embedding], { perm: [1, 0] })
      : this.#matrix('lm_head.weight');
    graph.rename(graph.add('MatMul', '/lm_head/MatMul', [normed, head]), 'logits');
    if (!shape.valueHead) return;
    const values = graph.add('MatMul', '/score/MatMul', [normed, this.#matrix('score.weight')]);
    graph.rename(graph.add('Squeeze', '/score/Squeeze', [values, graph.ints(-1)]), 'values');
  }

  /** m = x + attention(norm(x)); y = m + feedForward(norm(m)) (arXiv:2302.13971, section 2.2). */
  #block(l: number, x: string, allowed: string, turns: Turns): string {
    const { graph } = this;
    const [path, of] = [`/layers.${l}`, `model.layers.${l}`];
    const before = this.#norm(`${path}/input_layernorm`, `${of}.input_layernorm.weight`, x);
    const attended = this.#attention(l, before, allowed, turns);
    const middle = graph.add('Add', `${path}/Add`, [x, attended]);
    const after = this.#norm(
      `${path}/post_attention_layernorm`,
      `${of}.post_attention_layernorm.weight`,
      middle,
    );
    return graph.add('Add', `${path}/Add_1`, [middle, this.#feedForward(l, after)]);
  }

  /** RMSNorm (arXiv:1910.07467, Eq. 4). */
  #norm(path: string, gain: string, x: string): string {
    const { graph } = this;
    const squares = graph.add('Mul', `${path}/Square`, [x, x]);
    const mean = graph.add('ReduceMean', `${path}/ReduceMean`, [squares], {
      axes: [-1],
      keepdims: 1,
    });
    const epsilon = graph.floats('constants.rms_norm_eps', [RMS_NORM_EPS], []);
    const shifted = graph.add('Add', `${path}/Add`, [mean, epsilon]);
    const root = graph.add('Sqrt', `${path}/Sqrt`, [shifted]);
    const scaled = graph.add('Div', `${path}/Div`, [x, root]);
    return graph.add('Mul', `${path}/Mul`, [scaled, this.#tensor(gain)]);
  }

  /** Grouped-query attention (arXiv:2305.13245) over the cached and the new tokens. */
  #attention(l: number, x: string, allowed: string, turns: Turns): string {
    const { graph, shape } = this;
    const { heads, kvHeads, width } = shape;
    const path = `/layers.${l}/self_attn`;
    const groups = heads / kvHeads;
    const projected = (name: string, count: number) => {
      const y = this.#linear(`${path}/${name}`, `model.layers.${l}.self_attn.${name}.weight`, x);
      const split = graph.add('Reshape', `${path}/${name}/Reshape`, [
        y,
        graph.ints(0, 0, count, this.#headDim),
      ]);
      return graph.add('Transpose', `${path}/${name}/Transpose`, [split], { perm: [0, 2, 1, 3] });
    };
    const q = this.#turned(`${path}/rotary_q`, projected('q_proj', heads), turns);
    const newKeys = this.#turned(`${path}/rotary_k`, projected('k_proj', kvHeads), turns);
    const k = this.#remembered(l, 'key', newKeys);
    const v = this.#remembered(l, 'value', projected('v_proj', kvHeads));

    // (B, kvHeads, groups, L, headDim) · (B, kvHeads, 1, headDim, T): a group shares its keys.
    const grouped = groups > 1;
    const perGroup = (name: string, y: string) =>
      grouped ? graph.add('Unsqueeze', `${path}/${name}`, [y, graph.ints(2)]) : y;
    const queries = grouped ? this.#regroup(`${path}/q_groups`, q, [kvHeads, groups]) : q;
    const keys = graph.add('Transpose', `${path}/k_transposed`, [k], { perm: [0, 1, 3, 2] });
    const products = graph.add('MatMul', `${path}/qk`, [queries, perGroup('k_groups', keys)]);
    const scale = graph.floats('constants.attention_scale', [1 / Math.sqrt(this.#headDim)], []);
    const scores = graph.add('Mul', `${path}/Scale`, [products, scale]);
    const masked = graph.add('Where', `${path}/Mask`, [
      perGroup('allowed_groups', allowed),
      scores,
      graph.floats('constants.never', [NEVER], []),
    ]);
    const p = graph.add('Softmax', `${path}/Softmax`, [masked], { axis: -1 });
    const summed = graph.add('MatMul', `${path}/pv`, [p, perGroup('v_groups', v)]);
    const o = grouped ? this.#regroup(`${path}/o_heads`, summed, [heads]) : summed;
    const rows = graph.add('Transpose', `${path}/o_rows`, [o], { perm: [0, 2, 1, 3] });
    const joined = graph.add('Reshape', `${path}/o_joined`, [rows, graph.ints(0, 0, width)]);
    return this.#linear(`${path}/o_proj`, `model.layers.${l}.self_attn.o_proj.weight`, joined);
  }

  /** Reshapes the dimensions between batch and (L, headDim). */
  #regroup(path: string, y: string, dimensions: readonly number[]): string {
    const { graph } = this;
    const shape = graph.add(
      'Concat',
      `${path}/Shape`,
      [
        graph.add('Gather', `${path}/Batch`, [
          graph.add('Shape', `${path}/ShapeOf`, [ids.input]),
          graph.ints(0),
        ]),
        graph.ints(...dimensions),
        graph.add('Gather', `${path}/Length`, [
          graph.add('Shape', `${path}/ShapeOf_1`, [ids.input]),
          graph.ints(1),
        ]),
        graph.ints(this.#headDim),
      ],
      { axis: 0 },
    );
    return graph.add('Reshape', `${path}/Reshape`, [y, shape]);
  }

  /** Cached keys or values followed by the new ones, as an output; without a cache, the new ones. */
  #remembered(l: number, of: 'key' | 'value', y: string): string {
    if (!this.cache) return y;
    const name = present(l, of);
    const all = this.graph.add('Concat', `/layers.${l}/self_attn/${of}_cache`, [past(l, of), y], {
      axis: 2,
    });
    this.graph.rename(all, name);
    return name;
  }

  /** SwiGLU (arXiv:2002.05202, Eq. 5): (silu(x·Wgate) · x·Wup) · Wdown. */
  #feedForward(l: number, x: string): string {
    const { graph } = this;
    const [path, of] = [`/layers.${l}/mlp`, `model.layers.${l}.mlp`];
    const gate = this.#linear(`${path}/gate_proj`, `${of}.gate_proj.weight`, x);
    const up = this.#linear(`${path}/up_proj`, `${of}.up_proj.weight`, x);
    const sigmoid = graph.add('Sigmoid', `${path}/act_fn/Sigmoid`, [gate]);
    const silu = graph.add('Mul', `${path}/act_fn/Mul`, [gate, sigmoid]);
    const h = graph.add('Mul', `${path}/Mul`, [silu, up]);
    return this.#linear(`${path}/down_proj`, `${of}.down_proj.weight`, h);
  }

  /** (B, 1, L, T) attention mask: causal, without padding. */
  #allowed(): string {
    const { graph } = this;
    const size = (name: string, of: string, axis: number) =>
      graph.add('Gather', `/mask/${name}`, [
        graph.add('Shape', `/mask/${name}_shape`, [of]),
        graph.int(axis),
      ]);
    const length = size('length', ids.input, 1);
    const before = this.cache ? size('past_length', past(0, 'key'), 2) : graph.int(0);
    const total = this.cache ? graph.add('Add', '/mask/total', [before, length]) : length;
    const one = graph.int(1);
    const queries = graph.add('Range', '/mask/queries', [before, total, one]);
    const keys = graph.add('Range', '/mask/keys', [graph.int(0), total, one]);
    const rows = graph.add('Unsqueeze', '/mask/rows', [queries, graph.ints(1)]);
    const causal = graph.add('LessOrEqual', '/mask/causal', [keys, rows]);
    const real = graph.add('Cast', '/mask/real', [ids.mask], { to: ElementType.bool });
    const columns = graph.add('Unsqueeze', '/mask/columns', [real, graph.ints(1, 2)]);
    return graph.add('And', '/mask/allowed', [causal, columns]);
  }

  /**
   * Cosines and sines (B, 1, L, headDim/2) of the rotary angles (arXiv:2104.09864, Eq. 15), from a table:
   * WebGPU guarantees its sine and cosine only to within 2⁻¹¹, and only between −π and π.
   */
  #turns(): Turns {
    const { graph } = this;
    const half = this.#headDim / 2;
    const looked = (name: string, turn: (angle: number) => number) => {
      const values = Float32Array.from({ length: this.#contextLength * half }, (_, i) =>
        turn(Math.floor(i / half) * ROPE_THETA ** (-(i % half) / half)),
      );
      const table = graph.parameter(`rotary.${name}`, [this.#contextLength, half], values);
      const rows = graph.add('Gather', `/rotary/${name}_rows`, [table, ids.positions]);
      return graph.add('Unsqueeze', `/rotary/${name}`, [rows, graph.ints(1)]);
    };
    return { cos: looked('cos', Math.cos), sin: looked('sin', Math.sin) };
  }

  /** Rotates x (B, heads, L, headDim): pairs dimension i with i + headDim/2. */
  #turned(path: string, x: string, { cos, sin }: Turns): string {
    const { graph } = this;
    const [low = '', high = ''] = graph.split('Split', `${path}/Split`, [x], 2, { axis: -1 });
    const product = (name: string, a: string, b: string) =>
      graph.add('Mul', `${path}/${name}`, [a, b]);
    const first = graph.add('Sub', `${path}/Sub`, [
      product('low_cos', low, cos),
      product('high_sin', high, sin),
    ]);
    const second = graph.add('Add', `${path}/Add`, [
      product('high_cos', high, cos),
      product('low_sin', low, sin),
    ]);
    return graph.add('Concat', `${path}/Concat`, [first, second], { axis: -1 });
  }

  #linear(path: string, weight: string, x: string): string {
    return this.graph.add('MatMul', `${path}/MatMul`, [x, this.#matrix(weight)]);
  }

  /** A parameter with its Llama checkpoint name and shape. */
  #tensor(name: string): string {
    const { shape, values } = this.#found(name);
    return this.graph.parameter(name, shape, values);
  }

  /** A linear layer as (inputs, outputs) for MatMul: the checkpoint's tensor transposed. */
  #matrix(name: string): string {
    const { shape, values } = this.#found(name);
    const [outputs = 0, inputs = 0] = shape;
    const turned = Float32Array.from(
      values,
      (_, i) => values[(i % outputs) * inputs + Math.floor(i / outputs)] ?? 0,
    );
    return this.graph.parameter(`${name}${TRANSPOSED}`, [inputs, outputs], turned);
  }

  #found(name: string): WeightTensor {
    const tensor = this.#tensors.get(name);
    if (tensor === undefined) throw new RangeError(`no tensor ${name}`);
    return tensor;
  }
}

interface Turns {
  readonly cos: string;
  readonly sin: string;
}
