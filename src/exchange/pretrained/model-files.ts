/** The files of a pretrained model as Hugging Face transformers saves them, and its tensors, read one by one. */
import { z } from 'zod';
import { hex } from '../../files/hex.ts';
import { jsonLimits, pretrainedLimits } from '../../files/limits.ts';
import {
  type ByteSource,
  type LazyTensor,
  openSafeTensors,
  SafeTensorsError,
} from '../../runs/safetensors.ts';
import { AgentFileError, agentJson } from '../errors.ts';

/** A folder of files by their names; null for a name that it does not have. */
export type ModelFolder = (name: string) => ByteSource | null;

/**
 * A small file of the folder.
 *
 * @param most size limit in bytes
 * @throws {AgentFileError} for a larger one
 */
export async function smallFile(
  folder: ModelFolder,
  name: string,
  most: number,
): Promise<Uint8Array | null> {
  const file = folder(name);
  if (file === null) return null;
  if (file.size > most) {
    throw new AgentFileError(`${name} has ${file.size} bytes, and at most ${most} are read`);
  }
  return new Uint8Array(await file.slice(0, file.size).arrayBuffer());
}

/** As `smallFile`, of a file that a model needs. */
export async function neededFile(
  folder: ModelFolder,
  name: string,
  most: number,
): Promise<Uint8Array> {
  const bytes = await smallFile(folder, name, most);
  if (bytes === null) throw new AgentFileError(`${name} is missing`);
  return bytes;
}

const SINGLE = 'model.safetensors';
const INDEX = 'model.safetensors.index.json';

const index = z.looseObject({
  weight_map: z.record(
    z.string(),
    z.string().regex(/^[\w.-]{1,120}\.safetensors$/, 'must name .safetensors files of the folder'),
  ),
});

/** The names of the files that hold the weights. */
async function weightFiles(folder: ModelFolder): Promise<readonly string[]> {
  if (folder(SINGLE) !== null) return [SINGLE];
  const bytes = await smallFile(folder, INDEX, jsonLimits.safetensors.bytes);
  if (bytes === null) throw new AgentFileError(`${SINGLE} is missing`);
  const parsed = index.safeParse(agentJson(INDEX, bytes, jsonLimits.safetensors));
  if (!parsed.success) {
    throw new AgentFileError(`${INDEX} has no weight_map of .safetensors files of its folder`);
  }
  const names = [...new Set(Object.values(parsed.data.weight_map))].sort();
  if (names.length > pretrainedLimits.files) {
    throw new AgentFileError(
      `${INDEX} names ${names.length} files, and at most ${pretrainedLimits.files} are read`,
    );
  }
  return names;
}

/** The weights of a model. */
export interface ModelWeights {
  readonly tensors: ReadonlyMap<string, LazyTensor>;
  /** SHA-256 over the headers of its files and samples of their data, and over `more`. */
  digest(more: readonly Uint8Array[]): Promise<string>;
}

/** @throws {AgentFileError} naming the file and the fault */
export async function openWeights(folder: ModelFolder): Promise<ModelWeights> {
  const tensors = new Map<string, LazyTensor>();
  const sources: ByteSource[] = [];
  for (const name of await weightFiles(folder)) {
    const source = folder(name);
    if (source === null) throw new AgentFileError(`${name} is missing, which ${INDEX} names`);
    if (source.size > pretrainedLimits.bytes) {
      throw new AgentFileError(
        `${name} has ${source.size} bytes, and at most ${pretrainedLimits.bytes} are read`,
      );
    }
    sources.push(source);
    for (const [tensor, lazy] of await openedTensors(name, source)) {
      if (tensors.has(tensor)) {
        throw new AgentFileError(`${name} has the tensor ${tensor} of another file`);
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
  return new AgentFileError(`of ${name}, ${message}`);
}

/** The tensor, with errors that name its file. */
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

/** Blocks that are hashed of each file, evenly spaced, and their size: whole files take seconds. */
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
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', all)));
}
