/** Reads an agent from files in the Hugging Face layout for Llama. */
import { z } from 'zod';
import type { PolicyShape, WeightTensor } from '../policy/types.ts';
import { decodeSafeTensors, SafeTensorsError } from '../runs/safetensors.ts';
import { type Agent, checkAgent, readRun } from './agent.ts';
import { AgentFileError } from './errors.ts';
import { readLlamaConfig } from './llama-config.ts';
import { fromLlama, llamaTensors } from './llama-tensors.ts';
import { readTokenizerJson } from './tokenizer-json.ts';

export interface LlamaFiles {
  readonly config: Uint8Array;
  readonly tokenizer: Uint8Array;
  readonly weights: Uint8Array;
}

/** What `config.json` says of the run, under the key `palestra`. */
const runFields = z.object({
  config: z.unknown(),
  iteration: z.unknown(),
  turns: z.unknown(),
  tokens: z.unknown(),
});

/**
 * @throws {AgentFileError} naming the file and what in it cannot be used: a `config.json` of another
 *   block than the policy's, a tokenizer that is not word-level, tensors that are missing, unknown or of
 *   another shape.
 */
export function readLlama(files: LlamaFiles): Agent {
  const tensors = readTensors(files.weights);
  const { shape, fields } = readLlamaConfig(files.config, tensors.has('score.weight'));
  checkTensors(shape, tensors);
  const vocabulary = readTokenizerJson(files.tokenizer);
  const own = runFields.safeParse(fields.palestra);
  return checkAgent({
    shape,
    vocabulary,
    weights: fromLlama(shape, tensors),
    run: own.success ? readRun(own.data as Parameters<typeof readRun>[0]) : null,
  });
}

function readTensors(bytes: Uint8Array): ReadonlyMap<string, WeightTensor> {
  try {
    return decodeSafeTensors(bytes).tensors;
  } catch (error) {
    if (error instanceof SafeTensorsError) {
      throw new AgentFileError(`of model.safetensors, ${error.message}`);
    }
    throw error;
  }
}

/** Before anything of their size is made. */
function checkTensors(shape: PolicyShape, tensors: ReadonlyMap<string, WeightTensor>): void {
  const known = new Set<string>();
  for (const { name, shape: wanted } of llamaTensors(shape)) {
    const found = tensors.get(name)?.shape;
    known.add(name);
    if (found === undefined) throw new AgentFileError(`model.safetensors has no tensor ${name}`);
    if (String(found) !== String(wanted)) {
      throw new AgentFileError(
        `in model.safetensors, ${name} has the shape [${found.join(', ')}], and by config.json it is [${wanted.join(', ')}]`,
      );
    }
  }
  for (const name of tensors.keys()) {
    // Older checkpoints store the rotary frequencies, which follow from config.json.
    if (known.has(name) || name.endsWith('rotary_emb.inv_freq')) continue;
    throw new AgentFileError(
      `model.safetensors has a tensor ${JSON.stringify(name.slice(0, 80))}, which this shape does not`,
    );
  }
}
