import type { PretrainedModel } from '../../agents/pretrained.ts';
import { jsonLimits } from '../../files/limits.ts';
import { architectureOf, checkShape, PolicyShapeError } from '../../policy/layout.ts';
import type { Adapter, PolicyShape } from '../../policy/types.ts';
import { AgentFileError } from '../errors.ts';
import { readLlamaConfig } from '../llama-config.ts';
import { chatTokenizer, type ModelTexts, readModelTexts } from './chat-tokenizer.ts';
import { frozenReader } from './frozen-reader.ts';
import { type ModelFolder, type ModelWeights, neededFile, openWeights } from './model-files.ts';

/** A model whose files have been checked; weights are read on demand. */
export interface OpenedModel {
  /** The network without adapter and value head; `architecture` is always set. */
  readonly shape: PolicyShape;
  /** Fields of `config.json`. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly texts: ModelTexts;
  readonly weights: ModelWeights;
  /** SHA-256 that identifies the model; see `ModelWeights.digest`. */
  readonly digest: string;
}

/**
 * Opens the folder of a model as transformers saves it: `config.json`, `tokenizer.json`,
 * `tokenizer_config.json` with a chat template, and `model.safetensors` or several files with an index.
 *
 * @throws {AgentFileError} naming the file and the field
 */
export async function openModel(folder: ModelFolder): Promise<OpenedModel> {
  const bytes = await neededFile(folder, 'config.json', jsonLimits.config.bytes);
  const { shape: read, fields } = readLlamaConfig(bytes, false);
  const shape = { ...read, architecture: architectureOf(read) };
  const texts = await readModelTexts(folder, fields, shape.vocabulary);
  const weights = await openWeights(folder);
  // Checks names and shapes, so that a run does not fail later.
  frozenReader(shape, weights.tensors);
  const digest = await weights.digest([bytes, ...texts.files]);
  return { shape, config: fields, texts, weights, digest };
}

/**
 * The model with a trainable adapter.
 *
 * @param name display name, stored in checkpoints
 * @param initial weights of the adapter; null for a new adapter
 * @throws {AgentFileError} for an adapter that does not fit the model
 */
export function adaptedModel(
  { shape: own, texts, weights, digest }: OpenedModel,
  name: string,
  adapter: Adapter,
  initial: PretrainedModel['initial'] = null,
): PretrainedModel {
  const shape = { ...own, adapter };
  try {
    checkShape(shape);
  } catch (error) {
    if (error instanceof PolicyShapeError) throw new AgentFileError(error.message);
    throw error;
  }
  return {
    identity: { name, digest },
    ...{ shape, initial },
    weights: frozenReader(own, weights.tensors),
    tokenizerFor: (environment, format) => chatTokenizer(texts, environment, format),
  };
}
