import { z } from 'zod';
import type { Config } from '../config/schema.ts';
import type { SettledConfig } from '../config/settle.ts';
import { settleConfig } from '../config/settle.ts';
import { JsonError, parseJson } from '../files/json.ts';
import { type JsonLimits, jsonLimits } from '../files/limits.ts';
import { firstFault, pathText } from '../files/schema.ts';
import { PackedDataError, packData, unpackData } from './packed-data.ts';
import type { SavedTensor } from './safetensors.ts';
import { decodeSafeTensors, encodeSafeTensors, SafeTensorsError } from './safetensors.ts';

/** An agent as stored: everything needed to run it. */
export interface KeptAgent {
  /** The complete config of its run. */
  readonly config: Config;
  /** (V) the text of every token by id, including special tokens. */
  readonly vocabulary: readonly string[];
  /**
   * The rules of a byte-pair tokenizer, as plain data that the tokenizer validates; null for a
   * word-level tokenizer.
   */
  readonly bpe: unknown;
  /** Weights by the policy's parameter names. */
  readonly weights: ReadonlyMap<string, SavedTensor>;
  /** Training progress: iterations, environment turns and generated tokens. */
  readonly iteration: number;
  readonly turns: number;
  readonly tokens: number;
}

/** A run's state after an iteration. */
export interface Checkpoint extends Pick<KeptAgent, 'config' | 'iteration' | 'turns' | 'tokens'> {
  /** Students by their role in the run; the first is the agent that is evaluated and exported. */
  readonly students: ReadonlyMap<string, KeptStudent>;
  /**
   * The trainer's state as plain data, which the trainer validates. With it and the students'
   * training state, the run resumes bit-identically. Null if only agents were saved.
   */
  readonly trainer: unknown;
}

/** A checkpoint read from a file. */
export interface ReadCheckpoint extends Checkpoint {
  /** One sentence for each setting that was replaced because this version cannot use it. */
  readonly notes: readonly string[];
}

/** The pretrained model that a student's weights adapt, and the adapter's configuration. */
export interface KeptBase {
  readonly name: string;
  /** SHA-256, 64 hexadecimal digits; see `ModelIdentity`. */
  readonly digest: string;
  readonly adapter: {
    readonly rank: number;
    readonly alpha: number;
    /** Adapted linear layers, by their names in PEFT. */
    readonly targets: readonly string[];
    /** Precision of the frozen weights. */
    readonly base: string;
  };
}

/** One of a run's learning agents. */
export interface KeptStudent extends Pick<KeptAgent, 'vocabulary' | 'bpe' | 'weights'> {
  /**
   * Null for a whole network. With a base, vocabulary and byte pairs belong to the model and are
   * not stored.
   */
  readonly base: KeptBase | null;
  /** Null if only the agent was saved. */
  readonly training: KeptTraining | null;
}

/** Training state besides the weights. Tensors have the same names and shapes as the weights. */
export interface KeptTraining {
  /**
   * AdamW's moving averages of the gradient and of its square, and its remaining state, such as the
   * step count.
   */
  readonly firstMoments: ReadonlyMap<string, SavedTensor>;
  readonly secondMoments: ReadonlyMap<string, SavedTensor>;
  readonly optimizer: Float32Array;
  /** Weights of the reference policy; null if there is none. */
  readonly reference: ReadonlyMap<string, SavedTensor> | null;
  /** Name of the device that computed it last; null in older files, which do not store it. */
  readonly device: string | null;
  /** Number of optimizer steps requested so far. */
  readonly version: number;
}

/** The role of a run's only student, or of the first if there are several. */
export const AGENT = 'agent';

/** The role of a student that critiques the agent's answers. */
export const CRITIC = 'critic';

/** The error for an adapter whose pretrained model is missing. */
function needsModel({ name }: KeptBase): CheckpointError {
  return new CheckpointError(
    `it contains an adapter for the pretrained model ${JSON.stringify(name)}, which only a command with --model can use`,
  );
}

/** The student that is evaluated and exported. @throws {CheckpointError} */
export function firstStudent({ students }: Checkpoint): KeptStudent {
  const [first] = students.values();
  if (first === undefined) throw new CheckpointError('it contains no agent');
  return first;
}

/**
 * Checks that an adapter matches the run's pretrained model and adapter settings.
 *
 * @param own the run's base; null for a run without a pretrained model
 * @throws {CheckpointError}
 */
export function checkSameBase(kept: KeptBase | null, own: KeptBase | null): void {
  if (kept === null && own === null) return;
  if (kept === null) {
    throw new CheckpointError('it contains a whole network, not an adapter; omit --model');
  }
  if (own === null) throw needsModel(kept);
  if (kept.digest !== own.digest) {
    throw new CheckpointError(
      `its adapter was trained on the model ${kept.name}, whose files differ from those of ${own.name}`,
    );
  }
  const form = ({ adapter: { rank, alpha, targets, base } }: KeptBase) =>
    `rank ${rank} and alpha ${alpha} on ${targets.join(', ')}, with base weights in ${base}`;
  if (form(kept) === form(own)) return;
  throw new CheckpointError(`its adapter has ${form(kept)}, and this run’s has ${form(own)}`);
}

/**
 * The agent of a run that is evaluated and exported.
 *
 * @throws {CheckpointError} if it is an adapter of a pretrained model
 */
export function keptAgent(checkpoint: Checkpoint): KeptAgent {
  const { config, iteration, turns, tokens } = checkpoint;
  const { vocabulary, bpe, weights, base } = firstStudent(checkpoint);
  if (base !== null) throw needsModel(base);
  return { config, vocabulary, bpe, weights, iteration, turns, tokens };
}

/** Thrown for a file that is not a checkpoint or cannot be used; the message gives the reason. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  /** @param reason the end of the sentence, for instance `it is too short` */
  constructor(reason: string) {
    super(`This checkpoint cannot be used: ${reason}.`);
  }
}

/**
 * The reason why weights with NaN or infinity cannot be used, as the end of a sentence; null if all
 * are finite.
 */
export function nonFiniteReason(
  weights: ReadonlyMap<string, { readonly values: ArrayLike<number> }>,
): string | null {
  for (const [name, { values }] of weights) {
    for (let i = 0; i < values.length; i++) {
      if (Number.isFinite(values[i])) continue;
      return `its weights ${name} contain NaN or infinity; use a checkpoint from before the run diverged`;
    }
  }
  return null;
}

/**
 * @throws {CheckpointError} if weights contain NaN or infinity: such an agent can neither act nor
 *   train
 */
export function checkFinite(weights: Parameters<typeof nonFiniteReason>[0]): void {
  const reason = nonFiniteReason(weights);
  if (reason !== null) throw new CheckpointError(reason);
}

/**
 * Stored in every checkpoint; raised when an older reader would misread a newer file. Version 1
 * contained only an agent, version 2 one student without a role.
 */
const VERSION = '3';
const OLDER = ['1', '2'];

/**
 * Prefixes of a student's training tensors. A name is the role, the prefix and the parameter name.
 */
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

/** Format of role names, and the maximum number of roles. */
const rolePattern = /^[a-z][a-z_]{0,31}$/;
const MOST_ROLES = 8;

/** Encodes a checkpoint as one file in the safetensors layout. */
export function encodeCheckpoint(checkpoint: Checkpoint): Uint8Array<ArrayBuffer> {
  const { config, students, trainer } = checkpoint;
  const metadata = new Map([
    [VERSION_KEY, VERSION],
    ['config', JSON.stringify(config)],
    ...counters.map((name) => [name, String(checkpoint[name])] as const),
    ['students', [...students.keys()].join(' ')],
  ]);
  const tensors = new Map<string, SavedTensor>();
  for (const [role, student] of students) {
    for (const [key, text] of studentMetadata(student)) metadata.set(`${role}/${key}`, text);
    for (const [name, tensor] of studentTensors(student)) tensors.set(`${role}/${name}`, tensor);
  }
  if (trainer === null) return encodeSafeTensors({ tensors, metadata });
  return encodeSafeTensors({ tensors, bytes: new Map([[TRAINER, packData(trainer)]]), metadata });
}

function studentMetadata({ vocabulary, bpe, base, training }: KeptStudent): Map<string, string> {
  const metadata = new Map([['vocabulary', JSON.stringify(vocabulary)]]);
  if (bpe !== null) metadata.set('bpe', JSON.stringify(bpe));
  if (base !== null) metadata.set('base', JSON.stringify(base));
  if (training !== null) {
    metadata.set('version', String(training.version));
    if (training.device !== null) metadata.set('device', training.device);
    metadata.set('reference', training.reference === null ? 'none' : 'kept');
  }
  return metadata;
}

function studentTensors({ weights, training }: KeptStudent): Map<string, SavedTensor> {
  if (training === null) return new Map(weights);
  const { optimizer } = training;
  return new Map([
    ...weights,
    ...partNames.flatMap((part) =>
      [...(training[part] ?? [])].map(
        ([name, tensor]) => [`${prefixes[part]}${name}`, tensor] as const,
      ),
    ),
    [OPTIMIZER, { shape: [optimizer.length], values: optimizer }],
  ]);
}

/**
 * Reads a checkpoint. Settings that this version cannot use are replaced and listed in `notes`.
 * Every weight and moment must be finite; tensor shapes are checked when they are written into the
 * policy.
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
      `its format version is ${JSON.stringify(version)}, but this version of Palestra reads formats up to ${VERSION}`,
    );
  }
  const packed = lists?.get(TRAINER);
  const roles = version === VERSION ? readRoles(metadata) : [AGENT];
  // Older files have one student, whose names have no role prefix.
  const before = (role: string) => (version === VERSION ? `${role}/` : '');
  const students = new Map(
    roles.map((role) => [role, readStudent(behind(tensors, before(role)), metadata, before(role))]),
  );
  const trained = [...students.values()].filter(({ training }) => training !== null);
  if (trained.length !== (packed === undefined ? 0 : students.size)) {
    throw new CheckpointError('part of its training state is missing');
  }
  const stray = [...tensors.keys()].find((name) =>
    roles.every((role) => !name.startsWith(before(role))),
  );
  if (stray !== undefined) {
    throw new CheckpointError(
      `the tensor ${JSON.stringify(stray)} belongs to none of its students`,
    );
  }
  const trainer = packed === undefined ? null : readTrainer(packed);
  return {
    ...readConfig(metadata),
    iteration: readCount(metadata, 'iteration'),
    turns: readCount(metadata, 'turns'),
    tokens: readCount(metadata, 'tokens'),
    students,
    trainer: version === VERSION ? trainer : inParts(trainer),
  };
}

function readRoles(metadata: Metadata): readonly string[] {
  const roles = (metadata.get('students') ?? '').split(' ');
  const fits = roles.length <= MOST_ROLES && roles.every((role) => rolePattern.test(role));
  if (!fits || new Set(roles).size < roles.length) {
    throw new CheckpointError(
      `it must contain 1 to ${MOST_ROLES} students with different roles, such as ${AGENT}`,
    );
  }
  return roles;
}

type Tensors = ReadonlyMap<string, SavedTensor>;

/** Entries whose names start with a prefix, keyed by the rest of the name. */
function behind(tensors: Tensors, prefix: string): Tensors {
  return new Map(
    [...tensors].flatMap(([name, tensor]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), tensor]] : [],
    ),
  );
}

/** @param before prefix of the student's entries in the metadata */
function readStudent(tensors: Tensors, metadata: Metadata, before: string): KeptStudent {
  const of = {
    weights: new Map<string, SavedTensor>(),
    firstMoments: new Map<string, SavedTensor>(),
    secondMoments: new Map<string, SavedTensor>(),
    reference: new Map<string, SavedTensor>(),
  };
  for (const [name, tensor] of tensors) {
    if (name === OPTIMIZER) continue;
    const part = partNames.find((candidate) => name.startsWith(prefixes[candidate]));
    if (part === undefined) of.weights.set(name, tensor);
    else of[part].set(name.slice(prefixes[part].length), tensor);
  }
  const { weights, firstMoments, secondMoments, reference } = of;
  for (const part of Object.values(of)) checkFinite(part);
  const optimizer = tensors.get(OPTIMIZER)?.values;
  const bpe = `${before}bpe`;
  return {
    vocabulary: readVocabulary(metadata, `${before}vocabulary`),
    bpe: metadata.has(bpe) ? readJson(metadata, bpe, jsonLimits.tokenizer) : null,
    base: readBase(metadata, `${before}base`),
    weights,
    training:
      optimizer === undefined
        ? null
        : {
            firstMoments,
            secondMoments,
            optimizer,
            reference: metadata.get(`${before}reference`) === 'kept' ? reference : null,
            // Untrusted, but only displayed; the length is limited.
            device: metadata.get(`${before}device`)?.slice(0, 200) ?? null,
            version: readCount(metadata, `${before}version`),
          },
  };
}

const baseFields = z.object({
  name: z.string().min(1).max(200),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  adapter: z.object({
    rank: z.int(),
    alpha: z.number(),
    targets: z.array(z.string().max(32)).min(1).max(16),
    base: z.string().max(8),
  }),
});

/** Parses the description of a pretrained model from untrusted input; null if it is invalid. */
export function parseBase(value: unknown): KeptBase | null {
  return baseFields.safeParse(value).data ?? null;
}

function readBase(metadata: Metadata, key: string): KeptBase | null {
  if (!metadata.has(key)) return null;
  const parsed = baseFields.safeParse(readJson(metadata, key, jsonLimits.base));
  if (parsed.success) return parsed.data;
  const { path, message } = firstFault(parsed.error);
  throw new CheckpointError(
    `in the description of its pretrained model, ${pathText(path) || 'the object'}: ${message}`,
  );
}

function readTrainer(bytes: Uint8Array): unknown {
  try {
    return unpackData(bytes);
  } catch (error) {
    if (!(error instanceof PackedDataError)) throw error;
    throw new CheckpointError(`in its training state, ${error.message}`);
  }
}

/** Converts the trainer's state of a version 2 file, which had student and recipe in one object. */
function inParts(trainer: unknown): unknown {
  if (typeof trainer !== 'object' || trainer === null) return trainer;
  const { updates, skipped, paused, finished, deck, replay, ...rest } = {
    ...(trainer as Readonly<Record<string, unknown>>),
  };
  const recipe = { paused, finished, deck, replay };
  return { ...rest, students: { [AGENT]: { updates, skipped } }, recipe };
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

function readVocabulary(metadata: Metadata, key: string): readonly string[] {
  const tokens = readJson(metadata, key, jsonLimits.vocabulary);
  const isText = (token: unknown) => typeof token === 'string';
  if (!Array.isArray(tokens) || !tokens.every(isText) || new Set(tokens).size < tokens.length) {
    throw new CheckpointError('its vocabulary is not a list of distinct strings');
  }
  return tokens;
}

function readCount(metadata: Metadata, name: string): number {
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
