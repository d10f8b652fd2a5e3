/** Looks a model up on the Hugging Face Hub, before any weights are downloaded. */
import { z } from 'zod';
import { hubLimits } from '../../../files/hub-limits.ts';
import { jsonLimits, pretrainedLimits } from '../../../files/limits.ts';
import type { PolicyShape } from '../../../policy/types.ts';
import { AgentFileError, agentJson } from '../../errors.ts';
import { readLlamaConfig } from '../../llama-config.ts';
import {
  copiedFiles,
  type ModelFolder,
  WEIGHTS,
  WEIGHTS_INDEX,
  weightFiles,
} from '../model-files.ts';
import { fileHash } from './file-hash.ts';
import { backOff, type HubConnection, request, withRetries } from './hub-connection.ts';
import { HubError } from './hub-error.ts';
import { type HubFile, type HubModel, hubModel, isWeights } from './hub-model.ts';

/** A model that Palestra can train. */
export interface CheckedModel {
  readonly model: HubModel;
  readonly modelType: string;
  readonly shape: PolicyShape;
}

const named = /^(?:https:\/\/huggingface\.co\/)?([\w.-]{1,96}\/[\w.-]{1,96})\/?$/;

/**
 * Parses a model's name, or the address of its page, to `owner/name`.
 *
 * @throws {HubError}
 */
export function modelName(text: string): string {
  const name = named.exec(text.trim())?.[1];
  if (name === undefined) {
    throw new HubError(
      'Enter a model as owner/name, for example HuggingFaceTB/SmolLM2-135M-Instruct.',
    );
  }
  return name;
}

/**
 * Resolves the revision to a commit, lists the files that a run needs, and reads `config.json`.
 *
 * @param revision branch, tag or commit; empty for `main`
 * @throws {HubError} if the Hub refuses or has no such model
 * @throws {AgentFileError} if Palestra cannot train it
 */
export async function checkModel(
  hub: HubConnection,
  text: string,
  revision: string,
  signal: AbortSignal,
): Promise<CheckedModel> {
  const name = modelName(text);
  const get = (path: string, limit: number) => readAll(hub, { name, path }, limit, signal);
  const wanted = encodeURIComponent(revision.trim() || 'main');
  const found = await get(`/api/models/${name}/revision/${wanted}`, hubLimits.list.bytes);
  const { sha: commit } = read(commitFields, found.bytes);
  const listed = await filesOf(get, `/api/models/${name}/tree/${commit}`);
  const fetched = async (file: HubFile, limit: number) => {
    if (file.bytes > limit) {
      throw new HubError(`${file.name} of ${name} has ${file.bytes} bytes; the limit is ${limit}.`);
    }
    const { bytes } = await get(filePath({ name, commit }, file), limit);
    const hash = fileHash(file);
    hash.add(bytes);
    if (hash.digest() !== file.digest) {
      throw new HubError(
        `${file.name} of ${name} was corrupted during the download. Check the model again.`,
      );
    }
    return bytes;
  };
  const config = listed.get('config.json');
  if (config === undefined) throw new HubError(`${name} has no config.json. ${CHOOSE}`);
  const { shape, fields } = supported(name, await fetched(config, jsonLimits.config.bytes));
  const index = listed.get(WEIGHTS_INDEX);
  const used = [config, ...copiedFiles.flatMap((file) => listed.get(file) ?? [])];
  const whole = listed.get(WEIGHTS);
  if (whole !== undefined) {
    used.push(whole);
  } else if (index !== undefined) {
    const bytes = new Blob([await fetched(index, jsonLimits.safetensors.bytes)]);
    const folder: ModelFolder = (file) => (file === WEIGHTS_INDEX ? bytes : null);
    used.push(index);
    for (const part of await weightFiles(folder)) {
      const file = listed.get(part);
      if (file === undefined) throw new HubError(`${name} lacks ${part}, which its index lists.`);
      used.push(file);
    }
  } else {
    throw new HubError(`${name} has no ${WEIGHTS}. ${CHOOSE}`);
  }
  for (const file of ['tokenizer.json', 'tokenizer_config.json']) {
    if (!listed.has(file)) throw new HubError(`${name} has no ${file}. ${CHOOSE}`);
  }
  const large = used.find(({ bytes }) => bytes > pretrainedLimits.bytes);
  if (large !== undefined) {
    throw new HubError(`${large.name} of ${name} is larger than 8 GiB. Choose a smaller model.`);
  }
  const files = used.toSorted((a, b) => Number(isWeights(a)) - Number(isWeights(b)));
  return {
    model: hubModel.parse({ name, commit, files }),
    modelType: String(fields.model_type),
    shape,
  };
}

const CHOOSE =
  'Choose an instruction-tuned model with safetensors files, of the type llama, qwen2, qwen3 or gemma3_text.';

function supported(name: string, config: Uint8Array) {
  try {
    return readLlamaConfig(config, false);
  } catch (error) {
    if (!(error instanceof AgentFileError)) throw error;
    throw new HubError(`${name} cannot be trained: ${error.reason}. ${CHOOSE}`);
  }
}

/** Where the Hub serves a file; large files are redirected to another host. */
export const filePath = ({ name, commit }: Omit<HubModel, 'files'>, file: HubFile): string =>
  `/${name}/resolve/${commit}/${file.name}`;

const commitFields = z.looseObject({ sha: z.string().regex(/^[0-9a-f]{40}$/) });

const entryFields = z.looseObject({
  type: z.string(),
  path: z.string(),
  size: z.int().min(0),
  oid: z.string().regex(/^[0-9a-f]{40}$/),
  lfs: z.looseObject({ oid: z.string().regex(/^[0-9a-f]{64}$/), size: z.int().min(0) }).nullish(),
});

type Get = (path: string, limit: number) => Promise<Reply>;

/** The files of the top-level folder by name. */
async function filesOf(get: Get, first: string): Promise<ReadonlyMap<string, HubFile>> {
  const files = new Map<string, HubFile>();
  let path: string | null = first;
  for (let page = 0; path !== null && page < hubLimits.pages; page++) {
    const reply: Reply = await get(path, hubLimits.list.bytes);
    const { bytes, next } = reply;
    for (const { type, path: file, size, oid, lfs } of read(z.array(entryFields), bytes)) {
      if (type !== 'file') continue;
      files.set(
        file,
        lfs
          ? { name: file, bytes: lfs.size, hash: 'sha256', digest: lfs.oid }
          : { name: file, bytes: size, hash: 'git', digest: oid },
      );
    }
    path = next;
  }
  return files;
}

function read<T>(fields: z.ZodType<T>, bytes: Uint8Array): T {
  try {
    return fields.parse(agentJson('answer', bytes, hubLimits.list));
  } catch {
    throw new HubError('The Hub’s response cannot be read. Try again later.');
  }
}

interface Reply {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Path of the next page. */
  readonly next: string | null;
}

/** Reads a small response as a whole. */
async function readAll(
  hub: HubConnection,
  { name, path }: { readonly name: string; readonly path: string },
  limit: number,
  signal: AbortSignal,
): Promise<Reply> {
  const work = async (): Promise<Reply> => {
    const response = await request(hub, { name, path, first: 0 }, signal);
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for await (const part of response.parts()) {
      size += part.length;
      if (size > limit) throw new HubError('The Hub’s response is too large. Try again later.');
      parts.push(part);
    }
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return { bytes, next: nextPage(hub, response.headers.get('link')) };
  };
  // The user is waiting for the result, so give up soon.
  const soon = backOff.slice(0, 2);
  return withRetries(hub, signal, { work, progress: () => 0, onWait: () => {}, backOff: soon });
}

/** Path of the next page of a list; null if there is none, or if its address is not on the Hub. */
function nextPage({ address }: HubConnection, link: string | null): string | null {
  const next = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1] ?? '';
  return next.startsWith(`${address}/`) ? next.slice(address.length) : null;
}
