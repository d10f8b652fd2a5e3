/** `config.json` as Hugging Face transformers writes it for Llama. */
import { z } from 'zod';
import { jsonLimits } from '../files/limits.ts';
import { firstFault, pathText } from '../files/schema.ts';
import { checkShape, PolicyShapeError } from '../policy/layout.ts';
import type { PolicyShape } from '../policy/types.ts';
import { AgentFileError, agentJson } from './errors.ts';

/** What the policy's Llama block has fixed. */
export const RMS_NORM_EPS = 1e-5;
export const ROPE_THETA = 10_000;

export interface LlamaOptions {
  /** Most tokens that the agent reads. */
  readonly contextLength: number;
  readonly padToken: number;
  readonly endToken: number;
}

/** The fields that `LlamaConfig` has for a policy of this shape. */
export function llamaConfig(
  shape: PolicyShape,
  { contextLength, padToken, endToken }: LlamaOptions,
): Readonly<Record<string, unknown>> {
  return {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: shape.vocabulary,
    hidden_size: shape.width,
    intermediate_size: shape.ffnWidth,
    num_hidden_layers: shape.layers,
    num_attention_heads: shape.heads,
    num_key_value_heads: shape.kvHeads,
    head_dim: shape.width / shape.heads,
    hidden_act: 'silu',
    max_position_embeddings: contextLength,
    rms_norm_eps: RMS_NORM_EPS,
    rope_theta: ROPE_THETA,
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
  };
}

/** Far above what a browser trains, and low enough that no list of tensors grows without bound. */
const size = z.int().min(1).max(1_048_576);

/** What is read of a `config.json`; transformers leaves out what has its default. */
const llamaFields = z
  .object({
    model_type: z.literal('llama'),
    vocab_size: size,
    hidden_size: size,
    intermediate_size: size,
    num_hidden_layers: size.max(512),
    num_attention_heads: size,
    num_key_value_heads: size.optional(),
    head_dim: size.nullish(),
    hidden_act: z.string().default('silu'),
    rms_norm_eps: z.number().default(1e-6),
    rope_theta: z.number().optional(),
    rope_scaling: z.unknown().optional(),
    rope_parameters: z
      .object({ rope_type: z.string().optional(), rope_theta: z.number().optional() })
      .loose()
      .nullish(),
    attention_bias: z.boolean().default(false),
    mlp_bias: z.boolean().default(false),
    tie_word_embeddings: z.boolean().default(false),
  })
  .loose();

/**
 * The policy's shape from a `config.json`, and all that it says.
 *
 * @param valueHead whether the checkpoint has one, which `config.json` does not say
 * @throws {AgentFileError} naming the first field that the policy cannot be built from
 */
export function readLlamaConfig(
  bytes: Uint8Array,
  valueHead: boolean,
): { readonly shape: PolicyShape; readonly fields: Readonly<Record<string, unknown>> } {
  const parsed = llamaFields.safeParse(agentJson('config.json', bytes, jsonLimits.config));
  if (!parsed.success) {
    const { path, message } = firstFault(parsed.error);
    throw new AgentFileError(`in config.json, ${pathText(path) || 'the whole'}: ${message}`);
  }
  const fields = parsed.data;
  const heads = fields.num_attention_heads;
  const rope = fields.rope_parameters;
  const fixed: readonly (readonly [string, unknown, unknown])[] = [
    ['hidden_act', fields.hidden_act, 'silu'],
    ['rms_norm_eps', fields.rms_norm_eps, RMS_NORM_EPS],
    ['rope_theta', fields.rope_theta ?? rope?.rope_theta ?? ROPE_THETA, ROPE_THETA],
    ['rope_scaling', fields.rope_scaling ?? null, null],
    ['rope_parameters.rope_type', rope?.rope_type ?? 'default', 'default'],
    ['attention_bias', fields.attention_bias, false],
    ['mlp_bias', fields.mlp_bias, false],
    ['head_dim', fields.head_dim ?? fields.hidden_size / heads, fields.hidden_size / heads],
  ];
  for (const [name, found, wanted] of fixed) {
    if (found === wanted) continue;
    throw new AgentFileError(
      `in config.json, ${name} is ${JSON.stringify(found)}, and the policy’s Llama block has ${JSON.stringify(wanted)}`,
    );
  }
  const shape: PolicyShape = {
    vocabulary: fields.vocab_size,
    layers: fields.num_hidden_layers,
    width: fields.hidden_size,
    heads,
    kvHeads: fields.num_key_value_heads ?? heads,
    ffnWidth: fields.intermediate_size,
    tiedEmbeddings: fields.tie_word_embeddings,
    valueHead,
  };
  try {
    checkShape(shape);
  } catch (error) {
    if (error instanceof PolicyShapeError) {
      throw new AgentFileError(`of its shape in config.json, ${error.message}`);
    }
    throw error;
  }
  return { shape, fields };
}
