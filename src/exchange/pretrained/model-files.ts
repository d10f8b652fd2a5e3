/** Files of a pretrained model in the layout of Hugging Face transformers; tensors are read one by one. */
import { z } from 'zod';
import { joinBytes } from '../../files/bytes.ts';
import { hex } from '../../files/hex.ts';
import { jsonLimits, pretrainedLimits } from '../../files/limits.ts';
import {
  type ByteSource,
  type LazyTensor,
  openSafeTensors,
  SafeTensorsError,
} from '../../runs/safetensors.ts';
import { AgentFileError, agentJson } from '../errors.ts';

/** Returns a file of a folder by name, or null if it does not exist. */
export type ModelFolder = (name: string) => ByteSource | null;

/**
 * Reads a small file as a whole; null if it does not exist.
 *
 * @param most size limit in bytes
 * @throws {AgentFileError} above the limit
 */
export async function smallFile(
  folder: ModelFolder,
  name: string,
  most: number,
): Promise<Uint8Array | null> {
  const file = folder(name);
  if (file === null) return null;
  if (file.size > most) {
    throw new AgentFileError(`${name} has ${file.size} bytes; the limit is ${most}`);
  }
  return new Uint8Array(await file.slice(0, file.size).arrayBuffer());
}

/** Like `smallFile`, for a required file. */
export async function neededFile(
  folder: ModelFolder,
  name: string,
  most: number,
): Promise<Uint8Array> {
  const bytes = await smallFile(folder, name, most);
  if (bytes === null) throw new AgentFileError(`${name} is missing`);
  return bytes;
}

/** The model's name in a path of the Hugging Face cache, `models--OWNER--NAME/snapshots/COMMIT`; else null. */
export function cachedName(path: readonly string[]): string | null {
  const folder = path.findLast((part) => part.startsWith('models--'));
  return folder?.replace('models--', '').replaceAll('--', '/') ?? null;
}

/** Text files that a merged model copies from the base model. */
export const copiedFiles = [
  'tokenizer.json',
  'tokenizer_config.json',
  'chat_template.jinja',
  'generation_config.json',
  'special_tokens_map.json',
  'added_tokens.json',
  'vocab.json',
  'merges.txt',
];

export const WEIGHTS = 'model.safetensors';
/** The index of sharded weights, which lists their files. */
export const WEIGHTS_INDEX = 'model.safetensors.index.json';

const index = z.looseObject({
  weight_map: z.record(
    z.string(),
    z.string().regex(/^[\w.-]{1,120}\.safetensors$/, 'must name .safetensors files in the folder'),
  ),
});

/** Names of the files that contain the weights. */
export async function weightFiles(folder: ModelFolder): Promise<readonly string[]> {
  if (folder(WEIGHTS) !== null) return [WEIGHTS];
  const bytes = await smallFile(folder, WEIGHTS_INDEX, jsonLimits.safetensors.bytes);
  if (bytes === null) throw new AgentFileError(`${WEIGHTS} is missing`);
  const parsed = index.safeParse(agentJson(WEIGHTS_INDEX, bytes, jsonLimits.safetensors));
  if (!parsed.success) {
    throw new AgentFileError(
      `weight_map in ${WEIGHTS_INDEX} must name .safetensors files in its folder`,
    );
  }
  const names = [...new Set(Object.values(parsed.data.weight_map))].sort();
  if (names.length > pretrainedLimits.files) {
    throw new AgentFileError(
      `${WEIGHTS_INDEX} names ${names.length} files; the limit is ${pretrainedLimits.files}`,
    );
  }
  return names;
}

/** The weights of a model. */
export interface ModelWeights {
  readonly tensors: ReadonlyMap<string, LazyTensor>;
  /** SHA-256 of `more`, the file sizes, and evenly spaced samples of the files. */
  digest(more: readonly Uint8Array[]): Promise<string>;
}

/** @throws {AgentFileError} naming the file and the fault */
export async function openWeights(folder: ModelFolder): Promise<ModelWeights> {
  const tensors = new Map<string, LazyTensor>();
  const sources: ByteSource[] = [];
  for (const name of await weightFiles(folder)) {
    const source = folder(name);
    if (source === null)
      throw new AgentFileError(`${name}, which ${WEIGHTS_INDEX} names, is missing`);
    if (source.size > pretrainedLimits.bytes) {
      throw new AgentFileError(
        `${name} has ${source.size} bytes; the limit is ${pretrainedLimits.bytes}`,
      );
    }
    sources.push(source);
    for (const [tensor, lazy] of await openedTensors(name, source)) {
      if (tensors.has(tensor)) {
        throw new AgentFileError(
          `${name} contains the tensor ${tensor}, which another file also contains`,
        );
      }
      tensors.set(tensor, lazy);
    }
  }
  return { tensors, digest: (more) => digestOf(sources, more) };
}

async function openedTensors(name: string, source: ByteSource) {
  try {
    const { tensors } = await openSafeTensors(source);
    return [...tensors].map(([tensor, lazy]) => [tensor, named(name, lazy)] as const);
  } catch (error) {
    throw error instanceof SafeTensorsError ? fault(name, error) : error;
  }
}

function fault(name: string, { message }: SafeTensorsError): AgentFileError {
  return new AgentFileError(`${name} is invalid: ${message}`);
}

/** Adds the file name to a tensor's read errors. */
function named(name: string, { shape, read }: LazyTensor): LazyTensor {
  return {
    shape,
    read: async () => {
      try {
        return await read();
      } catch (error) {
        throw error instanceof SafeTensorsError ? fault(name, error) : error;
      }
    },
  };
}

/** Number and size of the hashed blocks of each file; hashing whole files would take seconds. */
const SAMPLES = 64;
const SAMPLE_BYTES = 4096;

async function digestOf(
  sources: readonly ByteSource[],
  more: readonly Uint8Array[],
): Promise<string> {
  const parts: Uint8Array[] = [...more];
  for (const source of sources) {
    parts.push(new TextEncoder().encode(`|${source.size}|`));
    for (let i = 0; i < SAMPLES; i++) {
      const begin = Math.floor((i * source.size) / SAMPLES);
      const end = Math.min(source.size, begin + SAMPLE_BYTES);
      parts.push(new Uint8Array(await source.slice(begin, end).arrayBuffer()));
    }
  }
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', joinBytes(parts))));
}
