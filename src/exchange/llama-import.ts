/** Imports an agent from files in Hugging Face's Llama layout. */
import { z } from 'zod';
import { jsonLimits } from '../files/limits.ts';
import { list } from '../files/schema.ts';
import { architectureOf } from '../policy/layout.ts';
import type { Architecture, PolicyShape, WeightTensor } from '../policy/types.ts';
import { decodeSafeTensors, SafeTensorsError } from '../runs/safetensors.ts';
import { checkAgent, type ReadAgent, readRun } from './agent.ts';
import { AgentFileError, agentJson } from './errors.ts';
import { readLlamaConfig } from './llama-config.ts';
import { fromLlama, llamaTensors } from './llama-tensors.ts';
import { type ReadTokenizer, readTokenizerJson, type SpecialTokenHints } from './tokenizer-json.ts';

interface LlamaFiles {
  readonly config: Uint8Array;
  readonly tokenizer: Uint8Array;
  readonly weights: Uint8Array;
  /** `tokenizer_config.json`, if present. */
  readonly tokenizerConfig: Uint8Array | undefined;
}

/** The run stored in `config.json` under `palestra`. */
const runFields = z.object({
  config: z.unknown(),
  iteration: z.unknown(),
  turns: z.unknown(),
  tokens: z.unknown(),
});

/**
 * @throws {AgentFileError} naming the file and the fault: an unsupported architecture in `config.json`, an
 *   unsupported tokenizer, or tensors that are missing, unknown or of the wrong shape.
 */
export function readLlama(files: LlamaFiles): ReadAgent {
  const tensors = readTensors(files.weights);
  const { shape, fields } = readLlamaConfig(files.config, tensors.has('score.weight'));
  checkOwnBlock(shape);
  checkTensors(shape, tensors);
  const read = readTokenizerJson(
    files.tokenizer,
    shape.vocabulary,
    specialTokenHints(fields, files.tokenizerConfig),
  );
  const { vocabulary, bpe, added } = read;
  const grown = { ...shape, vocabulary: shape.vocabulary + added.length };
  const own = runFields.safeParse(fields.palestra);
  return checkAgent({
    shape: grown,
    vocabulary,
    bpe,
    weights: fromLlama(grown, withRows(tensors, added.length)),
    run: own.success ? readRun(own.data as Parameters<typeof readRun>[0]) : null,
    added: added.length === 0 ? null : whatWasAdded(read),
  });
}

/** Fields of `config.json` that must have the same value in every agent. */
const blockFields: readonly (readonly [string, keyof Architecture])[] = [
  ['model_type', 'modelType'],
  ['rms_norm_eps', 'rmsNormEps'],
  ['rope_theta', 'ropeTheta'],
  ['head_dim', 'headDim'],
];

/** @throws {AgentFileError} naming the first field that differs from Palestra's own block */
function checkOwnBlock(shape: PolicyShape): void {
  const { architecture: found, ...own } = shape;
  if (!found) return;
  const wanted = architectureOf(own);
  for (const [field, key] of blockFields) {
    if (found[key] === wanted[key]) continue;
    throw new AgentFileError(
      `in config.json, ${field} is ${JSON.stringify(found[key])}; an agent needs ${JSON.stringify(wanted[key])}`,
    );
  }
}

const tokenId = z.int().min(0);
const idFields = z.looseObject({
  pad_token_id: tokenId.optional().catch(undefined),
  // Some checkpoints list several end tokens; use the first.
  eos_token_id: z
    .union([tokenId, list(tokenId, { max: 64 }).transform(([first]) => first)])
    .optional()
    .catch(undefined),
});
const tokenName = z
  .union([z.string(), z.object({ content: z.string() }).transform(({ content }) => content)])
  .optional()
  .catch(undefined);
const nameFields = z.looseObject({
  pad_token: tokenName,
  unk_token: tokenName,
  eos_token: tokenName,
});

/** @throws {AgentFileError} */
function specialTokenHints(config: unknown, tokenizerConfig: Uint8Array | undefined) {
  const { pad_token_id, eos_token_id } = idFields.parse(config);
  const names = nameFields.safeParse(
    tokenizerConfig === undefined
      ? {}
      : agentJson('tokenizer_config.json', tokenizerConfig, jsonLimits.tokenizer),
  );
  if (!names.success) throw new AgentFileError('tokenizer_config.json is not a JSON object');
  const { pad_token, unk_token, eos_token } = names.data;
  return {
    names: defined({ pad: pad_token, unk: unk_token, end: eos_token }),
    ids: defined({ pad: pad_token_id, end: eos_token_id }),
  } satisfies SpecialTokenHints;
}

/** Removes undefined fields. */
function defined<T>(fields: Readonly<Record<string, T | undefined>>): Record<string, T> {
  const entries = Object.entries(fields);
  return Object.fromEntries(
    entries.flatMap(([k, v]) => (v === undefined ? [] : [[k, v] as const])),
  );
}

/** Tensors with one row per token. */
const tokenTensors = ['model.embed_tokens.weight', 'lm_head.weight'];

/**
 * Appends rows for new tokens, set to the mean of the existing rows (like `resize_token_embeddings` in
 * transformers, without noise).
 */
function withRows(
  tensors: ReadonlyMap<string, WeightTensor>,
  added: number,
): ReadonlyMap<string, WeightTensor> {
  if (added === 0) return tensors;
  const grown = new Map(tensors);
  for (const name of tokenTensors) {
    const tensor = tensors.get(name);
    if (tensor === undefined) continue;
    const [rows = 0, width = 0] = tensor.shape;
    const values = new Float32Array((rows + added) * width);
    values.set(tensor.values);
    for (let column = 0; column < width; column++) {
      let sum = 0;
      for (let row = 0; row < rows; row++) sum += tensor.values[row * width + column] ?? 0;
      for (let row = rows; row < rows + added; row++) values[row * width + column] = sum / rows;
    }
    grown.set(name, { shape: [rows + added, width], values });
  }
  return grown;
}

/** Describes the tokens added to a byte-pair vocabulary. */
function whatWasAdded({ vocabulary, bpe, added }: ReadTokenizer): string {
  const [last = '', ...before] = added.toReversed();
  const names = before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`;
  const end = vocabulary[bpe?.special.end ?? 0];
  return `${names} ${before.length === 0 ? 'was' : 'were'} added to its vocabulary and initialized with the mean of its embeddings. An action ends with ${end}.`;
}

function readTensors(bytes: Uint8Array): ReadonlyMap<string, WeightTensor> {
  try {
    return decodeSafeTensors(bytes).tensors;
  } catch (error) {
    if (error instanceof SafeTensorsError) {
      throw new AgentFileError(`model.safetensors is invalid: ${error.message}`);
    }
    throw error;
  }
}

/** Checks names and shapes before allocating anything. */
function checkTensors(shape: PolicyShape, tensors: ReadonlyMap<string, WeightTensor>): void {
  const known = new Set<string>();
  for (const { name, shape: wanted } of llamaTensors(shape)) {
    const found = tensors.get(name)?.shape;
    known.add(name);
    if (found === undefined) throw new AgentFileError(`model.safetensors has no tensor ${name}`);
    if (String(found) !== String(wanted)) {
      throw new AgentFileError(
        `in model.safetensors, ${name} has shape [${found.join(', ')}]; config.json implies [${wanted.join(', ')}]`,
      );
    }
  }
  for (const name of tensors.keys()) {
    // Older checkpoints store the rotary frequencies, which follow from config.json.
    if (known.has(name) || name.endsWith('rotary_emb.inv_freq')) continue;
    throw new AgentFileError(
      `model.safetensors has an unexpected tensor ${JSON.stringify(name.slice(0, 80))}`,
    );
  }
}
