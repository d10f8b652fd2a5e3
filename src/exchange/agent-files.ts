/** Exports an agent to files (one zip or a folder) and imports it again. */

import { strToU8, type Zippable, zipSync } from 'fflate';
import { policyShape } from '../agents/shape.ts';
import { fileLimits, jsonLimits } from '../files/limits.ts';
import { isZip, readZip, ZipError } from '../files/zip.ts';
import { bpeJson } from '../policy/bpe-rules.ts';
import type { KeptAgent } from '../runs/checkpoint.ts';
import { CheckpointError, checkFinite, decodeCheckpoint, keptAgent } from '../runs/checkpoint.ts';
import type { EvaluationReport } from '../runs/evaluation-report.ts';
import { encodeSafeTensors } from '../runs/safetensors.ts';
import { agentOf, checkAgent, type ReadAgent, rulesOf } from './agent.ts';
import { AgentFileError } from './errors.ts';
import { llamaConfig } from './llama-config.ts';
import { readLlama } from './llama-import.ts';
import { toLlama } from './llama-tensors.ts';
import { modelCard } from './model-card.ts';
import { exportOnnx } from './onnx.ts';
import { readOnnx } from './onnx-import.ts';
import { specialIds, tokenizerConfig, wordsJson } from './tokenizer-json.ts';

interface ExportOptions {
  /** For the model card; null if the agent was not evaluated. */
  readonly report: EvaluationReport | null;
  /** SPDX identifier, such as `MIT`. */
  readonly license: string;
}

/** Files of an agent by name. */
export type AgentFiles = ReadonlyMap<string, Uint8Array>;

/** Names of the files written by `exportAgent`. */
export const exportedNames: readonly string[] = [
  'README.md',
  'config.json',
  'generation_config.json',
  'model.safetensors',
  'tokenizer.json',
  'tokenizer_config.json',
  'model.onnx',
  'model_with_cache.onnx',
];

/** ONNX graphs, the Hugging Face layout, and a model card. */
export function exportAgent(checkpoint: KeptAgent, options: ExportOptions): AgentFiles {
  const { config, vocabulary, weights, iteration, turns, tokens } = checkpoint;
  checkFinite(weights);
  const shape = policyShape(config, vocabulary.length);
  const { context_length: contextLength, max_action_tokens: maxActionTokens } = config.agent;
  const bpe = rulesOf(checkpoint.bpe, vocabulary);
  const { pad: padToken, end: endToken } = specialIds(bpe);
  const json = (value: unknown) => strToU8(`${JSON.stringify(value, null, 2)}\n`);
  return new Map([
    ['README.md', strToU8(modelCard(checkpoint, options))],
    [
      'config.json',
      json({
        ...llamaConfig(shape, { contextLength, padToken, endToken }),
        palestra: { config, iteration, turns, tokens },
      }),
    ],
    [
      'generation_config.json',
      json({
        do_sample: true,
        temperature: config.agent.temperature,
        // Without these, transformers samples from the 50 likeliest tokens only.
        top_k: 0,
        top_p: 1,
        max_new_tokens: maxActionTokens,
        eos_token_id: endToken,
        pad_token_id: padToken,
      }),
    ],
    [
      'model.safetensors',
      encodeSafeTensors({
        tensors: toLlama(shape, weights),
        metadata: new Map([['format', 'pt']]),
      }),
    ],
    ['tokenizer.json', json(bpe === null ? wordsJson(vocabulary) : bpeJson(vocabulary, bpe))],
    [
      'tokenizer_config.json',
      json(tokenizerConfig(vocabulary, bpe, contextLength, maxActionTokens > 1)),
    ],
    ['model.onnx', exportOnnx(checkpoint, { cache: false })],
    ['model_with_cache.onnx', exportOnnx(checkpoint, { cache: true })],
  ]);
}

/** Larger files are stored as they are: weights hardly shrink, and fflate compresses at most 2 GiB. */
const COMPRESSED = 2 ** 26;
/** Above this size a zip needs the 64-bit format, which fflate does not write. */
const LARGEST_ZIP = 2 ** 32 - 2 ** 20;

/** The files of an export do not fit into a zip. */
export class ZipTooLargeError extends Error {
  override readonly name = 'ZipTooLargeError';
  constructor(bytes: number) {
    super(
      `The export has ${bytes} bytes, too many for a zip. Export to a folder on the command line.`,
    );
  }
}

/**
 * The files in one zip; the same files give the same bytes.
 *
 * @throws {ZipTooLargeError} above 4 GB
 */
export function zipAgent(files: AgentFiles): Uint8Array<ArrayBuffer> {
  const total = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  if (total > LARGEST_ZIP) throw new ZipTooLargeError(total);
  const packed = [...files].map(
    ([name, bytes]) => [name, [bytes, { level: bytes.length > COMPRESSED ? 0 : 6 }]] as const,
  );
  return zipSync(Object.fromEntries(packed) as Zippable, { mtime: '1980-01-01T00:00:00' });
}

/** Files an agent can be imported from, in order of preference, with their size limits in bytes. */
const readable = {
  'model.safetensors': fileLimits.agent,
  'config.json': jsonLimits.config.bytes,
  'tokenizer.json': jsonLimits.tokenizer.bytes,
  'model.onnx': fileLimits.agent,
  'tokenizer_config.json': jsonLimits.tokenizer.bytes,
} as const;
type Readable = keyof typeof readable;
export const readableNames: readonly string[] = Object.keys(readable);
const needed = ['model.safetensors', 'config.json', 'tokenizer.json'] as const;

/**
 * Reads an agent from a zip of `exportAgent`'s files, one of its ONNX files, or a checkpoint.
 *
 * @throws {AgentFileError}
 * @throws {CheckpointError}
 */
export function readAgentFile(bytes: Uint8Array): ReadAgent {
  if (bytes.length > fileLimits.agent) {
    throw new AgentFileError(`it has ${bytes.length} bytes; the limit is ${fileLimits.agent}`);
  }
  if (isZip(bytes)) return readAgentFiles(unzip(bytes));
  // In a safetensors file, the JSON header starts after an 8-byte length.
  if (bytes[8] === 0x7b) return readCheckpoint(bytes);
  return readOnnx(bytes);
}

/**
 * Reads an agent from a folder's files, keyed by name, in the Hugging Face layout or as ONNX.
 *
 * @throws {AgentFileError}
 */
export function readAgentFiles(files: AgentFiles): ReadAgent {
  const file = (name: Readable) => files.get(name);
  const [weights, config, tokenizer] = needed.map(file);
  if (weights !== undefined && config !== undefined && tokenizer !== undefined) {
    return readLlama({
      weights,
      config,
      tokenizer,
      tokenizerConfig: file('tokenizer_config.json'),
    });
  }
  const onnx = file('model.onnx');
  if (onnx !== undefined) return readOnnx(onnx);
  const missing = needed.filter((name) => !files.has(name));
  throw new AgentFileError(`${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing`);
}

function readCheckpoint(bytes: Uint8Array): ReadAgent {
  return checkAgent(agentOf(keptAgent(decodeCheckpoint(bytes))));
}

/** The importable files of a zip, in any of its folders. */
function unzip(bytes: Uint8Array): AgentFiles {
  const files = new Map<string, Uint8Array>();
  try {
    const found = readZip(
      bytes,
      (path) => {
        const name = wantedName(path);
        return name === undefined ? null : readable[name];
      },
      fileLimits.agent,
    );
    for (const [path, file] of found) {
      const name = wantedName(path) ?? path;
      if (files.has(name)) throw new ZipError(`has two files named ${name}`);
      files.set(name, file);
    }
  } catch (error) {
    if (error instanceof ZipError) throw new AgentFileError(`it ${error.message}`);
    throw error;
  }
  return files;
}

/** The base name of a zip entry if that file can be imported. */
function wantedName(path: string): Readable | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return isReadable(name) ? name : undefined;
}

function isReadable(name: string): name is Readable {
  return Object.hasOwn(readable, name);
}

/** Whether an error explains in one sentence why a file cannot be used. */
export function isAgentFileError(error: unknown): error is AgentFileError | CheckpointError {
  return error instanceof AgentFileError || error instanceof CheckpointError;
}
