/** `config.json` as Hugging Face transformers writes it for Llama, Qwen2, Qwen3 and Gemma 3. */
import { z } from 'zod';
import { jsonLimits } from '../files/limits.ts';
import { firstFault, list, pathText } from '../files/schema.ts';
import { architectureOf, checkShape, PolicyShapeError } from '../policy/layout.ts';
import {
  type Architecture,
  type ModelType,
  modelTypes,
  type PolicyShape,
} from '../policy/types.ts';
import { AgentFileError, agentJson } from './errors.ts';

/** Values that are fixed in Palestra's own block. */
export const RMS_NORM_EPS = 1e-5;
export const ROPE_THETA = 10_000;

interface LlamaOptions {
  /** Maximum context length in tokens. */
  readonly contextLength: number;
  readonly padToken: number;
  readonly endToken: number;
}

const classes: Readonly<Record<ModelType, string>> = {
  llama: 'LlamaForCausalLM',
  qwen2: 'Qwen2ForCausalLM',
  qwen3: 'Qwen3ForCausalLM',
  gemma3_text: 'Gemma3ForCausalLM',
};

/** The fields of `config.json` for a policy shape. */
export function llamaConfig(
  shape: PolicyShape,
  { contextLength, padToken, endToken }: LlamaOptions,
): Readonly<Record<string, unknown>> {
  const block = architectureOf(shape);
  const { modelType, sliding } = block;
  const gemma = modelType === 'gemma3_text';
  return {
    architectures: [classes[modelType]],
    model_type: modelType,
    vocab_size: shape.vocabulary,
    hidden_size: shape.width,
    intermediate_size: shape.ffnWidth,
    num_hidden_layers: shape.layers,
    num_attention_heads: shape.heads,
    num_key_value_heads: shape.kvHeads,
    head_dim: block.headDim,
    [gemma ? 'hidden_activation' : 'hidden_act']: block.activation,
    max_position_embeddings: contextLength,
    rms_norm_eps: block.rmsNormEps,
    rope_theta: block.ropeTheta,
    rope_scaling: null,
    attention_bias: false,
    attention_dropout: 0,
    mlp_bias: false,
    tie_word_embeddings: shape.tiedEmbeddings,
    bos_token_id: null,
    eos_token_id: endToken,
    pad_token_id: padToken,
    torch_dtype: 'float32',
    use_cache: true,
    ...(gemma && {
      query_pre_attn_scalar: block.headDim,
      attn_logit_softcapping: null,
      final_logit_softcapping: null,
    }),
    ...(sliding && {
      rope_local_base_freq: sliding.ropeTheta,
      sliding_window: sliding.tokens,
      layer_types: sliding.layers.map((slides) =>
        slides ? 'sliding_attention' : 'full_attention',
      ),
    }),
  };
}

/** Far above what a browser can train, and low enough to bound the list of tensors. */
const size = z.int().min(1).max(1_048_576);

const rope = z.looseObject({
  rope_type: z.string().optional(),
  rope_theta: z.number().optional(),
});

/** Fields read from `config.json`; transformers omits defaults. */
const llamaFields = z
  .object({
    model_type: z.enum(modelTypes),
    vocab_size: size,
    hidden_size: size,
    intermediate_size: size,
    num_hidden_layers: size.max(512),
    num_attention_heads: size,
    num_key_value_heads: size.nullish(),
    head_dim: size.nullish(),
    hidden_act: z.string().optional(),
    hidden_activation: z.string().nullish(),
    rms_norm_eps: z.number().default(1e-6),
    rope_theta: z.number().nullish(),
    rope_local_base_freq: z.number().nullish(),
    rope_scaling: z.unknown().optional(),
    /** Written by transformers 5: one set of parameters, or one per layer type. */
    rope_parameters: rope
      .extend({ full_attention: rope.optional(), sliding_attention: rope.optional() })
      .nullish(),
    attention_bias: z.boolean().default(false),
    mlp_bias: z.boolean().default(false),
    tie_word_embeddings: z.boolean().optional(),
    use_sliding_window: z.boolean().default(false),
    sliding_window: size.nullish(),
    sliding_window_pattern: size.nullish(),
    layer_types: list(z.string().max(64), { max: 512 }).nullish(),
    query_pre_attn_scalar: z.number().nullish(),
    attn_logit_softcapping: z.number().nullish(),
    final_logit_softcapping: z.number().nullish(),
    use_bidirectional_attention: z.boolean().default(false),
  })
  .loose();
type Fields = z.infer<typeof llamaFields>;

/** Defaults of fields missing in `config.json`, by model type. */
const defaults: Readonly<
  Record<ModelType, { headDim: number | null; tied: boolean; theta: number; activation: string }>
> = {
  llama: { headDim: null, tied: false, theta: 10_000, activation: 'silu' },
  qwen2: { headDim: null, tied: false, theta: 10_000, activation: 'silu' },
  qwen3: { headDim: 128, tied: false, theta: 10_000, activation: 'silu' },
  gemma3_text: { headDim: 256, tied: true, theta: 1_000_000, activation: 'gelu_pytorch_tanh' },
};

function fail(name: string, found: unknown, what: string): never {
  throw new AgentFileError(`in config.json, ${name} is ${JSON.stringify(found)}; ${what}`);
}

/** @throws {AgentFileError} naming the first unsupported field */
function architecture(fields: Fields): Architecture {
  const { model_type: modelType, num_attention_heads: heads } = fields;
  const usual = defaults[modelType];
  const gemma = modelType === 'gemma3_text';
  const ropes = fields.rope_parameters;
  const full = ropes?.full_attention ?? ropes;
  const headDim = fields.head_dim ?? usual.headDim ?? fields.hidden_size / heads;
  const activationField = gemma ? 'hidden_activation' : 'hidden_act';
  const activation = fields[activationField] ?? usual.activation;
  const fixed: readonly (readonly [string, unknown, unknown])[] = [
    [activationField, activation, usual.activation],
    ['rope_scaling', fields.rope_scaling ?? null, null],
    ['rope_parameters.rope_type', full?.rope_type ?? 'default', 'default'],
    [
      'rope_parameters.sliding_attention.rope_type',
      ropes?.sliding_attention?.rope_type ?? 'default',
      'default',
    ],
    ['attention_bias', fields.attention_bias, false],
    ['mlp_bias', fields.mlp_bias, false],
    ['use_sliding_window', fields.use_sliding_window, false],
    ['attn_logit_softcapping', fields.attn_logit_softcapping ?? null, null],
    ['final_logit_softcapping', fields.final_logit_softcapping ?? null, null],
    ['use_bidirectional_attention', fields.use_bidirectional_attention, false],
    ...(gemma
      ? [['query_pre_attn_scalar', fields.query_pre_attn_scalar ?? 256, headDim] as const]
      : []),
  ];
  for (const [name, found, wanted] of fixed) {
    if (found !== wanted) fail(name, found, `only ${JSON.stringify(wanted)} is supported`);
  }
  return {
    modelType,
    headDim,
    rmsNormEps: fields.rms_norm_eps,
    ropeTheta: full?.rope_theta ?? fields.rope_theta ?? usual.theta,
    qkvBias: modelType === 'qwen2',
    qkNorm: modelType === 'qwen3' || gemma,
    postNorms: gemma,
    activation: gemma ? 'gelu_pytorch_tanh' : 'silu',
    embeddingScale: gemma ? Math.sqrt(fields.hidden_size) : 1,
    sliding: slidingOf(fields),
  };
}

function slidingOf(fields: Fields): Architecture['sliding'] {
  const layers = fields.num_hidden_layers;
  const gemma = fields.model_type === 'gemma3_text';
  const every = fields.sliding_window_pattern ?? 6;
  const types =
    fields.layer_types ??
    Array.from({ length: layers }, (_, l) =>
      gemma && (l + 1) % every !== 0 ? 'sliding_attention' : 'full_attention',
    );
  if (types.length !== layers) {
    throw new AgentFileError(
      `in config.json, layer_types has ${types.length} entries; there are ${layers} layers`,
    );
  }
  const known = ['full_attention', ...(gemma ? ['sliding_attention'] : [])];
  const unknown = types.find((type) => !known.includes(type));
  if (unknown !== undefined) fail('layer_types', unknown, `supported: ${known.join(' and ')}`);
  const slides = types.map((type) => type === 'sliding_attention');
  if (!slides.includes(true)) return null;
  return {
    tokens: fields.sliding_window ?? 4096,
    ropeTheta:
      fields.rope_parameters?.sliding_attention?.rope_theta ??
      fields.rope_local_base_freq ??
      10_000,
    layers: slides,
  };
}

/** Whether the block equals Palestra's own, so that the shape needs no `architecture`. */
function isOwn(shape: PolicyShape, found: Architecture): boolean {
  return JSON.stringify(architectureOf(shape)) === JSON.stringify(found);
}

/**
 * The policy shape described by a `config.json`.
 *
 * @param valueHead whether the checkpoint has one; `config.json` does not say
 * @throws {AgentFileError} naming the first unsupported field
 */
export function readLlamaConfig(
  bytes: Uint8Array,
  valueHead: boolean,
): { readonly shape: PolicyShape; readonly fields: Readonly<Record<string, unknown>> } {
  const parsed = llamaFields.safeParse(agentJson('config.json', bytes, jsonLimits.config));
  if (!parsed.success) {
    const { path, message } = firstFault(parsed.error);
    throw new AgentFileError(`in config.json, ${pathText(path) || 'the top level'}: ${message}`);
  }
  const fields = parsed.data;
  const found = architecture(fields);
  const own: PolicyShape = {
    vocabulary: fields.vocab_size,
    layers: fields.num_hidden_layers,
    width: fields.hidden_size,
    heads: fields.num_attention_heads,
    kvHeads: fields.num_key_value_heads ?? fields.num_attention_heads,
    ffnWidth: fields.intermediate_size,
    tiedEmbeddings: fields.tie_word_embeddings ?? defaults[fields.model_type].tied,
    valueHead,
  };
  const shape = isOwn(own, found) ? own : { ...own, architecture: found };
  try {
    checkShape(shape);
  } catch (error) {
    if (error instanceof PolicyShapeError) {
      throw new AgentFileError(`config.json describes an unsupported shape: ${error.message}`);
    }
    throw error;
  }
  return { shape, fields };
}
