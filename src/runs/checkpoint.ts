import type { Config } from '../config/schema.ts';
import type { SettledConfig } from '../config/settle.ts';
import { settleConfig } from '../config/settle.ts';
import { JsonError, parseJson } from '../files/json.ts';
import { type JsonLimits, jsonLimits } from '../files/limits.ts';
import { PackedDataError, packData, unpackData } from './packed-data.ts';
import type { SavedTensor } from './safetensors.ts';
import { decodeSafeTensors, encodeSafeTensors, SafeTensorsError } from './safetensors.ts';

/** An agent as it is kept: everything that it takes to let it play. */
export interface Checkpoint {
  /** The complete config of its run. */
  readonly config: Config;
  /** (V) the text of every token by id, the special ones included. */
  readonly vocabulary: readonly string[];
  /** The rules of a byte-pair tokenizer, as plain data that the tokenizer checks; null for whole words. */
  readonly bpe: unknown;
  /** By the names of the policy's parameters. */
  readonly weights: ReadonlyMap<string, SavedTensor>;
  /** How far it was trained: iterations, and in these the environment turns and written tokens. */
  readonly iteration: number;
  readonly turns: number;
  readonly tokens: number;
  /** With it, training goes on bit for bit where it stopped; null where only the agent was kept. */
  readonly training: TrainingCheckpoint | null;
}

/** A checkpoint as it was read. */
export interface ReadCheckpoint extends Checkpoint {
  /** One sentence for each setting that is not used as it was written. */
  readonly notes: readonly string[];
}

/** What training needs beside the agent. The tensors have the names and shapes of the weights. */
export interface TrainingCheckpoint {
  /** AdamW's moving averages of the gradient and of its square, and its own numbers. */
  readonly firstMoments: ReadonlyMap<string, SavedTensor>;
  readonly secondMoments: ReadonlyMap<string, SavedTensor>;
  readonly optimizer: Float32Array;
  /** The weights of the reference policy, where there is one. */
  readonly reference: ReadonlyMap<string, SavedTensor> | null;
  /** What computed it last, as the device calls itself; null in files from before it was kept. */
  readonly device: string | null;
  /** Optimiser steps asked for so far. */
  readonly version: number;
  /** What the trainer itself holds, as plain data; the trainer checks it. */
  readonly trainer: unknown;
}

/** Thrown for a file that is no checkpoint or cannot be used; one sentence says why. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  /** @param reason the end of the sentence, for instance `it is too short` */
  constructor(reason: string) {
    super(`This checkpoint cannot be used: ${reason}.`);
  }
}

/**
 * Named by every checkpoint; raised when an older reader would misread a newer file. Version 1 had the
 * agent alone.
 */
const VERSION = '2';
const OLDER = ['1'];

/** What the tensors of the training state are called: the prefix, then the parameter's name. */
const prefixes = {
  firstMoments: 'first_moment:',
  secondMoments: 'second_moment:',
  reference: 'reference:',
} as const;
const OPTIMIZER = 'training:optimizer';
const TRAINER = 'training:trainer';

const VERSION_KEY = 'palestra_checkpoint';
const partNames = ['firstMoments', 'secondMoments', 'reference'] as const;
const counters = ['iteration', 'turns', 'tokens'] as const;

/** The checkpoint as one file in the safetensors layout. */
export function encodeCheckpoint(checkpoint: Checkpoint): Uint8Array<ArrayBuffer> {
  const { config, vocabulary, bpe, weights, training } = checkpoint;
  const metadata = new Map([
    [VERSION_KEY, VERSION],
    ['config', JSON.stringify(config)],
    ['vocabulary', JSON.stringify(vocabulary)],
    ...(bpe === null ? [] : [['bpe', JSON.stringify(bpe)] as const]),
    ...counters.map((name) => [name, String(checkpoint[name])] as const),
    ...(training === null
      ? []
      : [
          ['version', String(training.version)] as const,
          ...(training.device === null ? [] : [['device', training.device] as const]),
          ['reference', training.reference === null ? 'none' : 'kept'] as const,
        ]),
  ]);
  if (training === null) return encodeSafeTensors({ tensors: weights, metadata });
  const { firstMoments, secondMoments, reference, optimizer, trainer } = training;
  const tensors = new Map([
    ...weights,
    ...prefixed(prefixes.firstMoments, firstMoments),
    ...prefixed(prefixes.secondMoments, secondMoments),
    ...prefixed(prefixes.reference, reference ?? new Map()),
    [OPTIMIZER, { shape: [optimizer.length], values: optimizer }],
  ]);
  const bytes = new Map([[TRAINER, packData(trainer)]]);
  return encodeSafeTensors({ tensors, bytes, metadata });
}

function prefixed(
  prefix: string,
  tensors: ReadonlyMap<string, SavedTensor>,
): [string, SavedTensor][] {
  return [...tensors].map(([name, tensor]) => [`${prefix}${name}`, tensor]);
}

/**
 * Reads a checkpoint. Settings that this version cannot use are replaced and named. Whether its tensors are those of its policy is seen when they are written into
 * one.
 *
 * @throws {CheckpointError}
 */
export function decodeCheckpoint(bytes: Uint8Array): ReadCheckpoint {
  const { tensors, bytes: lists, metadata } = decodeFile(bytes);
  const version = metadata.get(VERSION_KEY);
  if (version === undefined) {
    throw new CheckpointError('it is a safetensors file, but not one that Palestra wrote');
  }
  if (version !== VERSION && !OLDER.includes(version)) {
    throw new CheckpointError(
      `it has version ${JSON.stringify(version)} of the format, and this Palestra reads versions up to ${VERSION}`,
    );
  }
  const { own, ...parts } = sorted(tensors);
  return {
    ...readConfig(metadata),
    vocabulary: readVocabulary(metadata),
    bpe: metadata.has('bpe') ? readJson(metadata, 'bpe', jsonLimits.tokenizer) : null,
    weights: own,
    iteration: readCount(metadata, 'iteration'),
    turns: readCount(metadata, 'turns'),
    tokens: readCount(metadata, 'tokens'),
    training: readTraining(parts, lists?.get(TRAINER), metadata),
  };
}

interface SortedTensors extends Record<keyof typeof prefixes, Map<string, SavedTensor>> {
  /** The agent's weights. */
  readonly own: Map<string, SavedTensor>;
  optimizer: Float32Array | null;
}

/** Tells the weights and the parts of the training state apart. */
function sorted(tensors: ReadonlyMap<string, SavedTensor>): SortedTensors {
  const parts: SortedTensors = {
    own: new Map(),
    firstMoments: new Map(),
    secondMoments: new Map(),
    reference: new Map(),
    optimizer: null,
  };
  for (const [name, tensor] of tensors) {
    if (name === OPTIMIZER) {
      parts.optimizer = tensor.values;
      continue;
    }
    const part = partNames.find((candidate) => name.startsWith(prefixes[candidate]));
    if (part === undefined) parts.own.set(name, tensor);
    else parts[part].set(name.slice(prefixes[part].length), tensor);
  }
  return parts;
}

function readTraining(
  parts: Omit<SortedTensors, 'own'>,
  trainer: Uint8Array | undefined,
  metadata: Metadata,
): TrainingCheckpoint | null {
  const { firstMoments, secondMoments, reference, optimizer } = parts;
  if (optimizer === null && trainer === undefined) return null;
  if (optimizer === null || trainer === undefined) {
    throw new CheckpointError('a part of its training state is missing');
  }
  return {
    firstMoments,
    secondMoments,
    optimizer,
    reference: metadata.get('reference') === 'kept' ? reference : null,
    // A name that no device has is only ever shown.
    device: metadata.get('device')?.slice(0, 200) ?? null,
    version: readCount(metadata, 'version'),
    trainer: readTrainer(trainer),
  };
}

function readTrainer(bytes: Uint8Array): unknown {
  try {
    return unpackData(bytes);
  } catch (error) {
    if (!(error instanceof PackedDataError)) throw error;
    throw new CheckpointError(`of its training state, ${error.message}`);
  }
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

function readConfig(metadata: Metadata): SettledConfig {
  return settleConfig(readJson(metadata, 'config', jsonLimits.config), 'in the checkpoint');
}

function readVocabulary(metadata: Metadata): readonly string[] {
  const tokens = readJson(metadata, 'vocabulary', jsonLimits.vocabulary);
  const isText = (token: unknown) => typeof token === 'string';
  if (!Array.isArray(tokens) || !tokens.every(isText) || new Set(tokens).size < tokens.length) {
    throw new CheckpointError('its vocabulary is not a list of different texts');
  }
  return tokens;
}

function readCount(metadata: Metadata, name: (typeof counters)[number] | 'version'): number {
  const text = metadata.get(name) ?? '';
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count)) {
    throw new CheckpointError(`its ${name} must be a whole number, got ${JSON.stringify(text)}`);
  }
  return count;
}

function readJson(metadata: Metadata, name: string, limits: JsonLimits): unknown {
  const json = metadata.get(name);
  if (json === undefined) throw new CheckpointError(`its ${name} is missing`);
  try {
    return parseJson(json, limits);
  } catch (error) {
    if (error instanceof JsonError) throw new CheckpointError(`its ${name} ${error.message}`);
    throw error;
  }
}
