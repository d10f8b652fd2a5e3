import type { Config } from './config.ts';
import { ConfigError, parseConfig } from './config.ts';
import type { SavedTensor } from './safetensors.ts';
import { decodeSafeTensors, encodeSafeTensors, SafeTensorsError } from './safetensors.ts';

/** An agent as it is kept: everything that it takes to let it play. */
export interface Checkpoint {
  /** The complete config of its run. */
  readonly config: Config;
  /** (V) the text of every token by id, the special ones included. */
  readonly vocabulary: readonly string[];
  /** By the names of the policy's parameters. */
  readonly weights: ReadonlyMap<string, SavedTensor>;
  /** How far it was trained: iterations, and in these the environment turns and written tokens. */
  readonly iteration: number;
  readonly turns: number;
  readonly tokens: number;
}

/** Thrown for a file that is no checkpoint or cannot be used; one sentence says why. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  /** @param reason the end of the sentence, for instance `it is too short` */
  constructor(reason: string) {
    super(`This checkpoint cannot be used: ${reason}.`);
  }
}

/** Named by every checkpoint; raised when an older reader would misread a newer file. */
const VERSION = '1';

const VERSION_KEY = 'palestra_checkpoint';
const counters = ['iteration', 'turns', 'tokens'] as const;

/** The checkpoint as one file in the safetensors layout. */
export function encodeCheckpoint(checkpoint: Checkpoint): Uint8Array<ArrayBuffer> {
  const { config, vocabulary, weights } = checkpoint;
  const metadata = new Map([
    [VERSION_KEY, VERSION],
    ['config', JSON.stringify(config)],
    ['vocabulary', JSON.stringify(vocabulary)],
    ...counters.map((name) => [name, String(checkpoint[name])] as const),
  ]);
  return encodeSafeTensors({ tensors: weights, metadata });
}

/**
 * Reads a checkpoint. Whether its tensors are those of its policy is seen when they are written into
 * one.
 *
 * @throws {CheckpointError}
 */
export function decodeCheckpoint(bytes: Uint8Array): Checkpoint {
  const { tensors, metadata } = decodeFile(bytes);
  const version = metadata.get(VERSION_KEY);
  if (version === undefined) {
    throw new CheckpointError('it is a safetensors file, but not one that Palestra wrote');
  }
  if (version !== VERSION) {
    throw new CheckpointError(
      `it has version ${JSON.stringify(version)} of the format, and this Palestra reads version ${VERSION}`,
    );
  }
  return {
    config: readConfig(metadata),
    vocabulary: readVocabulary(metadata),
    weights: tensors,
    iteration: readCount(metadata, 'iteration'),
    turns: readCount(metadata, 'turns'),
    tokens: readCount(metadata, 'tokens'),
  };
}

type Metadata = ReadonlyMap<string, string>;

function decodeFile(bytes: Uint8Array) {
  try {
    return decodeSafeTensors(bytes);
  } catch (error) {
    if (error instanceof SafeTensorsError) throw new CheckpointError(error.message);
    throw error;
  }
}

function readConfig(metadata: Metadata): Config {
  try {
    return parseConfig(readJson(metadata, 'config'));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new CheckpointError(`in its config, ${error.message}`);
  }
}

function readVocabulary(metadata: Metadata): readonly string[] {
  const tokens = readJson(metadata, 'vocabulary');
  const isText = (token: unknown) => typeof token === 'string';
  if (!Array.isArray(tokens) || !tokens.every(isText) || new Set(tokens).size < tokens.length) {
    throw new CheckpointError('its vocabulary is not a list of different texts');
  }
  return tokens;
}

function readCount(metadata: Metadata, name: (typeof counters)[number]): number {
  const text = metadata.get(name) ?? '';
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count)) {
    throw new CheckpointError(`its ${name} must be a whole number, got ${JSON.stringify(text)}`);
  }
  return count;
}

function readJson(metadata: Metadata, name: string): unknown {
  try {
    return JSON.parse(metadata.get(name) ?? '');
  } catch {
    throw new CheckpointError(`its ${name} is missing or is not JSON`);
  }
}
