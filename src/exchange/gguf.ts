/**
 * Writes GGUF version 3 (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md), the format of llama.cpp,
 * Ollama and LM Studio: header, metadata, tensor descriptions, and tensor data aligned to 32 bytes.
 */

import { toHalf } from '../files/half.ts';
import { type BpeRules, splitName } from '../policy/bpe-rules.ts';
import { architectureOf, paddedVocabulary } from '../policy/layout.ts';
import type { ModelType, PolicyShape } from '../policy/types.ts';
import { llamaTensors } from './llama-tensors.ts';

/** Storage of matrices; gains and biases are always float32. q8_0: 8 bits in groups of 32. */
const ggufPrecisions = ['f32', 'f16', 'q8_0'] as const;
export type GgufPrecision = (typeof ggufPrecisions)[number];

/** A byte-pair tokenizer in the form of llama.cpp's `gpt2` tokenizer model. */
interface GgufTokenizer {
  /** (V) tokens as spelled in `tokenizer.json`. */
  readonly tokens: readonly string[];
  /** Ids of special tokens, such as the end of a turn. */
  readonly special: ReadonlySet<number>;
  /** Ids of other added tokens, which are matched before the text is split. */
  readonly userDefined?: ReadonlySet<number>;
  /** Ids of rows without a token. */
  readonly unused?: ReadonlySet<number>;
  /** Pairs separated by a space, in order of priority. */
  readonly merges: readonly string[];
  /** llama.cpp's name for the pre-tokenizer. */
  readonly pre: 'gpt-2' | 'smollm' | 'qwen2' | 'llama-bpe';
  /** Beginning of a sequence, which chat templates may write; null if there is none. */
  readonly bos: number | null;
  readonly end: number;
  readonly pad: number | null;
  /** Chat template in Jinja; null if there is none. */
  readonly template: string | null;
}

interface GgufOptions {
  readonly name: string;
  readonly contextLength: number;
  readonly precision: GgufPrecision;
  readonly tokenizer: GgufTokenizer;
}

/** Thrown for a model that llama.cpp does not support. */
export class GgufError extends Error {
  override readonly name = 'GgufError';
}

/**
 * llama.cpp's name for a tokenizer's pre-tokenizer.
 *
 * @throws {GgufError} for a tokenizer that is not byte-level, such as Gemma's
 */
export function preTokenizer({
  normalizer,
  pre_tokenizer: steps,
}: Pick<BpeRules, 'normalizer' | 'pre_tokenizer'>): GgufTokenizer['pre'] {
  const types = steps.map(({ type }) => type).join(' ');
  const plain = normalizer.every(({ type }) => type === 'NFC');
  if (plain && types === 'ByteLevel') return 'gpt-2';
  if (plain && types === 'Digits ByteLevel' && steps[0]?.individual_digits === true) {
    return 'smollm';
  }
  if (plain && types === 'Split ByteLevel') {
    const name = splitName(steps[0]);
    if (name === 'Qwen 2') return 'qwen2';
    if (name === 'Llama 3') return 'llama-bpe';
    if (name === 'GPT-2') return 'gpt-2';
  }
  throw new GgufError(
    'GGUF export supports byte-level tokenizers only (GPT-2, SmolLM, Qwen 2, Llama 3); export the merged model and convert it with llama.cpp’s convert_hf_to_gguf.py',
  );
}

const architectures: Readonly<Record<ModelType, string>> = {
  llama: 'llama',
  qwen2: 'qwen2',
  qwen3: 'qwen3',
  gemma3_text: 'gemma3',
};

/** Type codes of metadata values. */
const types = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;
type Value =
  | { readonly type: 'u32' | 'f32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'i32s'; readonly value: readonly number[] };

/** Type codes of tensors. */
const tensorTypes = { f32: 0, f16: 1, q8_0: 8 } as const;

const ALIGNMENT = 32;
/** Elements and bytes of a q8_0 group: a float16 scale and 32 signed bytes. */
const GROUP = 32;
const GROUP_BYTES = 34;

/** Appends little-endian values to a growing buffer. */
class Writer {
  #bytes = new Uint8Array(1 << 16);
  #view = new DataView(this.#bytes.buffer);
  length = 0;

  #room(bytes: number): void {
    if (this.length + bytes <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + bytes));
    grown.set(this.#bytes.subarray(0, this.length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }

  u32(value: number): void {
    this.#room(4);
    this.#view.setUint32(this.length, value, true);
    this.length += 4;
  }

  u64(value: number): void {
    this.#room(8);
    this.#view.setBigUint64(this.length, BigInt(value), true);
    this.length += 8;
  }

  f32(value: number): void {
    this.#room(4);
    this.#view.setFloat32(this.length, value, true);
    this.length += 4;
  }

  raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  string(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.u64(bytes.length);
    this.raw(bytes);
  }

  align(): void {
    this.raw(new Uint8Array(Math.ceil(this.length / ALIGNMENT) * ALIGNMENT - this.length));
  }

  get written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.length);
  }
}

function writeValue(writer: Writer, given: Value): void {
  switch (given.type) {
    case 'u32':
      writer.u32(types.u32);
      writer.u32(given.value);
      break;
    case 'f32':
      writer.u32(types.f32);
      writer.f32(given.value);
      break;
    case 'bool':
      writer.u32(types.bool);
      writer.raw(Uint8Array.of(given.value ? 1 : 0));
      break;
    case 'string':
      writer.u32(types.string);
      writer.string(given.value);
      break;
    case 'strings':
      writer.u32(types.array);
      writer.u32(types.string);
      writer.u64(given.value.length);
      for (const text of given.value) writer.string(text);
      break;
    case 'i32s':
      writer.u32(types.array);
      writer.u32(types.i32);
      writer.u64(given.value.length);
      for (const value of given.value) writer.u32(value >>> 0);
      break;
    default:
      given satisfies never;
  }
}

/** llama.cpp's token types. */
const kinds = { normal: 1, control: 3, userDefined: 4, unused: 5 } as const;

function kindOf(id: number, { special, userDefined, unused }: GgufTokenizer): number {
  if (special.has(id)) return kinds.control;
  if (userDefined?.has(id)) return kinds.userDefined;
  return unused?.has(id) ? kinds.unused : kinds.normal;
}

function metadata(shape: PolicyShape, options: GgufOptions): [string, Value][] {
  const block = architectureOf(shape);
  const architecture = architectures[block.modelType];
  const { tokenizer } = options;
  const of = (key: string) => `${architecture}.${key}`;
  const u32 = (value: number): Value => ({ type: 'u32', value });
  const f32 = (value: number): Value => ({ type: 'f32', value });
  const string = (value: string): Value => ({ type: 'string', value });
  const { sliding } = block;
  return [
    ['general.architecture', string(architecture)],
    ['general.name', string(options.name)],
    ['general.alignment', u32(ALIGNMENT)],
    // llama.cpp's `LLAMA_FTYPE_MOSTLY_…`.
    ['general.file_type', u32({ f32: 0, f16: 1, q8_0: 7 }[options.precision])],
    [of('block_count'), u32(shape.layers)],
    [of('context_length'), u32(options.contextLength)],
    [of('embedding_length'), u32(shape.width)],
    [of('feed_forward_length'), u32(shape.ffnWidth)],
    [of('attention.head_count'), u32(shape.heads)],
    [of('attention.head_count_kv'), u32(shape.kvHeads)],
    [of('attention.key_length'), u32(block.headDim)],
    [of('attention.value_length'), u32(block.headDim)],
    [of('attention.layer_norm_rms_epsilon'), f32(block.rmsNormEps)],
    [of('rope.freq_base'), f32(block.ropeTheta)],
    [of('rope.dimension_count'), u32(block.headDim)],
    [of('vocab_size'), u32(shape.vocabulary)],
    ...(sliding ? [[of('attention.sliding_window'), u32(sliding.tokens)] as [string, Value]] : []),
    ['tokenizer.ggml.model', string('gpt2')],
    ['tokenizer.ggml.pre', string(tokenizer.pre)],
    ['tokenizer.ggml.tokens', { type: 'strings', value: tokenizer.tokens }],
    [
      'tokenizer.ggml.token_type',
      {
        type: 'i32s',
        value: tokenizer.tokens.map((_, id) => kindOf(id, tokenizer)),
      },
    ],
    ['tokenizer.ggml.merges', { type: 'strings', value: tokenizer.merges }],
    // Without it, llama.cpp takes token 11 for `bos_token` in the template.
    ...(tokenizer.bos === null
      ? []
      : [['tokenizer.ggml.bos_token_id', u32(tokenizer.bos)] as [string, Value]]),
    ['tokenizer.ggml.eos_token_id', u32(tokenizer.end)],
    ['tokenizer.ggml.add_bos_token', { type: 'bool', value: false }],
    ...(tokenizer.pad === null
      ? []
      : [['tokenizer.ggml.padding_token_id', u32(tokenizer.pad)] as [string, Value]]),
    ...(tokenizer.template === null
      ? []
      : [['tokenizer.chat_template', string(tokenizer.template)] as [string, Value]]),
  ];
}

/** llama.cpp's names for a block's tensors, by their Hugging Face names. */
function blockNames(modelType: ModelType): Readonly<Record<string, string>> {
  const gemma = modelType === 'gemma3_text';
  return {
    input_layernorm: 'attn_norm',
    'self_attn.q_proj': 'attn_q',
    'self_attn.k_proj': 'attn_k',
    'self_attn.v_proj': 'attn_v',
    'self_attn.o_proj': 'attn_output',
    'self_attn.q_norm': 'attn_q_norm',
    'self_attn.k_norm': 'attn_k_norm',
    'mlp.gate_proj': 'ffn_gate',
    'mlp.up_proj': 'ffn_up',
    'mlp.down_proj': 'ffn_down',
    post_attention_layernorm: gemma ? 'post_attention_norm' : 'ffn_norm',
    pre_feedforward_layernorm: 'ffn_norm',
    post_feedforward_layernorm: 'post_ffw_norm',
  };
}

function ggufName(name: string, modelType: ModelType): string {
  const whole = {
    'model.embed_tokens.weight': 'token_embd.weight',
    'model.norm.weight': 'output_norm.weight',
    'lm_head.weight': 'output.weight',
  }[name];
  if (whole !== undefined) return whole;
  const [, layer, part = '', kind] = /^model\.layers\.(\d+)\.(.+)\.(weight|bias)$/.exec(name) ?? [];
  const own = blockNames(modelType)[part];
  if (own === undefined) throw new GgufError(`llama.cpp has no counterpart for the tensor ${name}`);
  return `blk.${layer}.${own}.${kind}`;
}

/**
 * Permutes the rows of a query or key matrix (heads · headDim, columns) for llama.cpp's Llama, whose rotary
 * embedding pairs dimension 2i of a head with 2i + 1 instead of i with i + headDim/2.
 */
function interleaved(values: Float32Array, heads: number, headDim: number): Float32Array {
  const columns = values.length / (heads * headDim);
  const turned = new Float32Array(values.length);
  for (let row = 0; row < heads * headDim; row++) {
    const within = row % headDim;
    const half = headDim / 2;
    const place = row - within + (within < half ? 2 * within : 2 * (within - half) + 1);
    turned.set(values.subarray(row * columns, (row + 1) * columns), place * columns);
  }
  return turned;
}

function encode(values: Float32Array, type: GgufPrecision): Uint8Array {
  if (type === 'f32') return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  if (type === 'f16') return new Uint8Array(Uint16Array.from(values, toHalf).buffer);
  const groups = values.length / GROUP;
  const bytes = new Uint8Array(groups * GROUP_BYTES);
  const view = new DataView(bytes.buffer);
  for (let g = 0; g < groups; g++) {
    let largest = 0;
    for (let i = 0; i < GROUP; i++) {
      largest = Math.max(largest, Math.abs(values[g * GROUP + i] ?? 0));
    }
    const scale = largest / 127;
    view.setUint16(g * GROUP_BYTES, toHalf(scale), true);
    for (let i = 0; i < GROUP; i++) {
      const level = scale === 0 ? 0 : Math.round((values[g * GROUP + i] ?? 0) / scale);
      view.setInt8(g * GROUP_BYTES + 2 + i, level);
    }
  }
  return bytes;
}

/**
 * Writes a model as one GGUF file, reading its tensors one by one.
 *
 * @param read returns a tensor in Hugging Face's layout, by its Hugging Face name
 * @throws {GgufError} for models that llama.cpp cannot run: vocabulary and tokenizer differ in size, sliding
 *   windows are in layers other than Gemma's, or head_dim differs from width / heads in Qwen2
 */
export async function ggufFile(
  shape: PolicyShape,
  read: (name: string) => Promise<Float32Array>,
  options: GgufOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const { modelType, headDim, sliding } = architectureOf(shape);
  if (options.tokenizer.tokens.length !== shape.vocabulary) {
    throw new GgufError(
      `the tokenizer has ${options.tokenizer.tokens.length} tokens, but the network has ${shape.vocabulary} (${paddedVocabulary(shape)} with padding)`,
    );
  }
  if (modelType === 'qwen2' && headDim * shape.heads !== shape.width) {
    throw new GgufError(`llama.cpp’s Qwen2 needs head_dim = width / heads, got ${headDim}`);
  }
  const misplaced = sliding?.layers.findIndex((slides, l) => slides !== ((l + 1) % 6 !== 0)) ?? -1;
  if (misplaced !== -1) {
    throw new GgufError(
      `llama.cpp uses sliding windows in five of six layers; layer ${misplaced} differs`,
    );
  }
  const heads: Readonly<Record<string, number>> = {
    q_proj: shape.heads,
    k_proj: shape.kvHeads,
  };
  const gains = modelType === 'gemma3_text' ? 1 : 0;
  const tensors: { name: string; dims: number[]; type: GgufPrecision; at: number }[] = [];
  const data = new Writer();
  for (const { name, shape: size } of llamaTensors({ ...shape, valueHead: false })) {
    const found = await read(name);
    const [, turned = ''] = /\.(q_proj|k_proj)\./.exec(name) ?? [];
    const count = heads[turned];
    const norm = name.endsWith('norm.weight');
    // Hugging Face stores Gemma's gains minus 1; llama.cpp stores the full gains.
    const whole = norm && gains !== 0 ? found.map((value) => value + gains) : found;
    const values =
      modelType === 'llama' && count !== undefined ? interleaved(whole, count, headDim) : whole;
    const row = size.at(-1) ?? 0;
    const type: GgufPrecision =
      size.length === 1 || (options.precision === 'q8_0' && row % GROUP !== 0)
        ? 'f32'
        : options.precision;
    const dims = size.toReversed();
    tensors.push({ name: ggufName(name, modelType), dims, type, at: data.length });
    data.raw(encode(values, type));
    data.align();
  }

  const head = new Writer();
  head.raw(new TextEncoder().encode('GGUF'));
  head.u32(3);
  head.u64(tensors.length);
  const pairs = metadata(shape, options);
  head.u64(pairs.length);
  for (const [key, value] of pairs) {
    head.string(key);
    writeValue(head, value);
  }
  for (const { name, dims, type, at } of tensors) {
    head.string(name);
    head.u32(dims.length);
    for (const size of dims) head.u64(size);
    head.u32(tensorTypes[type]);
    head.u64(at);
  }
  head.align();
  head.raw(data.written);
  return head.written;
}
