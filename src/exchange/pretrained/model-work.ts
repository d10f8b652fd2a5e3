/** The page's requests about stored models, and their answers. */
import { runCost } from '../../agents/cost.ts';
import { pretrainedShape } from '../../agents/shape.ts';
import { SpellingError } from '../../agents/spelling.ts';
import { defaultConfig } from '../../config/check.ts';
import { ConfigError } from '../../config/error.ts';
import type { Assignment } from '../../config/methods.ts';
import { criticizes } from '../../config/recipes.ts';
import type { Config } from '../../config/schema.ts';
import { setConfigValues } from '../../config/text.ts';
import { isRemote, loadedEnvironment } from '../../envs/registry.ts';
import { architectureOf, checkShape, PolicyShapeError } from '../../policy/layout.ts';
import type { Adapter, PolicyShape } from '../../policy/types.ts';
import {
  CheckpointError,
  decodeCheckpoint,
  firstStudent,
  type KeptBase,
} from '../../runs/checkpoint.ts';
import { ZipTooLargeError, zipAgent } from '../agent-files.ts';
import { settingsForModel } from '../begin.ts';
import { AgentFileError } from '../errors.ts';
import { GgufError } from '../gguf.ts';
import { adapterOf, basePrecisions, keptAdapter, modelMethod, modelSettings } from './defaults.ts';
import { exportModel, type ModelFormat } from './export-model.ts';
import type { DownloadProgress, HubDownloads, UnfinishedDownload } from './hub/hub-downloads.ts';
import { CancelledError, HubError } from './hub/hub-error.ts';
import type { HubModel } from './hub/hub-model.ts';
import {
  ModelMissingError,
  type ModelStore,
  ModelStoreError,
  parametersOf,
  type StoredModel,
} from './model-store.ts';
import { adaptedModel } from './open-model.ts';

/** How a request names a stored model. */
type Named = Pick<KeptBase, 'name' | 'digest'>;

export type ModelRequest =
  | { readonly kind: 'list' }
  /** Checks files and stores them as a model. */
  | { readonly kind: 'add'; readonly name: string; readonly files: ReadonlyMap<string, Blob> }
  | { readonly kind: 'remove'; readonly digest: string }
  /** Plans a run. */
  | {
      readonly kind: 'plan';
      readonly model: Named;
      /** Settings of a preset. */
      readonly config: Config;
      /** Settings of a preset for pretrained models; else empty. */
      readonly set: readonly Assignment[];
      readonly rank: number;
    }
  /** Looks a model up on the Hugging Face Hub and estimates the memory of a run. */
  | {
      readonly kind: 'check';
      /** `owner/name` */
      readonly name: string;
      /** Branch, tag or commit; empty for `main`. */
      readonly revision: string;
      /** As in a `plan` request. */
      readonly config: Config;
      readonly set: readonly Assignment[];
      readonly rank: number;
    }
  /** Starts or continues a download and stores the model. */
  | { readonly kind: 'download'; readonly model: HubModel }
  /** Deletes an unfinished download. */
  | { readonly kind: 'discard'; readonly model: HubModel }
  | { readonly kind: 'downloads' }
  /** Writes the agent of a checkpoint in the format of another tool. */
  | {
      readonly kind: 'export';
      readonly checkpoint: Uint8Array<ArrayBuffer>;
      readonly format: ModelFormat;
    };

/** A run with a pretrained model. */
export interface ModelPlan {
  readonly config: Config;
  /** Upper bound on the floating-point operations per iteration. */
  readonly operations: number;
  /** Memory in bytes for each precision of the frozen weights; null if the model does not support it. */
  readonly memory: Readonly<Record<Adapter['base'], number | null>>;
}

/** A model on the Hugging Face Hub that can be downloaded. */
export interface FoundModel extends Pick<StoredModel, 'modelType' | 'shape' | 'parameters'> {
  readonly model: HubModel;
  /** Number of bytes that an unfinished download has stored. */
  readonly stored: number;
  /** Estimated as in `ModelPlan`, before the tokenizer is known. */
  readonly memory: ModelPlan['memory'];
}

export type ModelAnswer =
  | { readonly kind: 'progress'; readonly fraction: number }
  | { readonly kind: 'models'; readonly models: readonly StoredModel[] }
  | { readonly kind: 'added'; readonly model: StoredModel }
  | { readonly kind: 'plan'; readonly plan: ModelPlan }
  | { readonly kind: 'exported'; readonly zip: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'checked'; readonly found: FoundModel }
  | { readonly kind: 'downloading'; readonly progress: DownloadProgress }
  | { readonly kind: 'downloads'; readonly downloads: readonly UnfinishedDownload[] }
  | { readonly kind: 'cancelled' }
  /** The request cannot be fulfilled; the message is one or two sentences. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Any other error. */
  | { readonly kind: 'failed'; readonly message: string };

/** Storage, callbacks and signals that a request uses. */
export interface ModelServices {
  store(): Promise<ModelStore>;
  downloads(): Promise<HubDownloads>;
  /** Called with every answer before the last one. */
  onProgress(answer: Extract<ModelAnswer, { kind: 'progress' | 'downloading' }>): void;
  /** Cancels a download. */
  readonly signal: AbortSignal;
}

/** Answers a request; never rejects. */
export async function answerModelRequest(
  request: ModelRequest,
  services: ModelServices,
): Promise<ModelAnswer> {
  try {
    return await answered(request, services);
  } catch (error) {
    if (error instanceof CancelledError) return { kind: 'cancelled' };
    const message = error instanceof Error ? error.message : String(error);
    return { kind: isRefusal(error) ? 'refused' : 'failed', message };
  }
}

async function answered(request: ModelRequest, services: ModelServices): Promise<ModelAnswer> {
  const { onProgress, signal } = services;
  const store = await services.store();
  const downloads = () => services.downloads();
  switch (request.kind) {
    case 'list':
      return { kind: 'models', models: await store.list() };
    case 'add': {
      const onFraction = (fraction: number) => onProgress({ kind: 'progress', fraction });
      return { kind: 'added', model: await store.add(request.name, request.files, onFraction) };
    }
    case 'remove':
      await store.remove(request.digest);
      return { kind: 'models', models: await store.list() };
    case 'plan':
      return { kind: 'plan', plan: await planOf(store, request) };
    case 'export':
      return { kind: 'exported', zip: await exported(store, request) };
    case 'check':
      return { kind: 'checked', found: await found(await downloads(), request, signal) };
    case 'download': {
      const report = (progress: DownloadProgress) => onProgress({ kind: 'downloading', progress });
      const own = await downloads();
      return { kind: 'added', model: await own.download(request.model, store, report, signal) };
    }
    case 'discard':
      await (await downloads()).remove(request.model);
      return { kind: 'downloads', downloads: await (await downloads()).list() };
    case 'downloads':
      return { kind: 'downloads', downloads: await (await downloads()).list() };
    default:
      return request satisfies never;
  }
}

/** The run that `train --model` would start, and its memory. */
async function planOf(
  store: ModelStore,
  { model: named, config, set, rank }: Extract<ModelRequest, { readonly kind: 'plan' }>,
): Promise<ModelPlan> {
  const { opened } = await store.openModel(named);
  checkTrainable(config);
  const given = setConfigValues(config, [...modelSettings, ...modelMethod(), ...set]);
  const environment = await loadedEnvironment(given.env);
  const withBase = (base: Adapter['base']) =>
    adaptedModel(opened, named.name, adapterOf({ rank, base }));
  const model = withBase('f32');
  const settled = settingsForModel(model, given, environment);
  const { operations } = runCost(settled, pretrainedShape(model, settled));
  return { config: settled, operations, memory: memoryOf(opened.shape, settled, rank) };
}

/** @throws {ConfigError} for settings with which the page cannot train a pretrained model */
function checkTrainable(config: Config): void {
  if (criticizes(config)) {
    throw new ConfigError(
      'recipe',
      `must be reinforcement or evolution for a pretrained model, got ${config.recipe}`,
    );
  }
  if (isRemote(config.env.id)) {
    throw new ConfigError(
      'env.id',
      'must not be an environment on a server when the page trains a pretrained model; choose a preset, or train on the command line',
    );
  }
}

/** Memory of a run in each precision. */
function memoryOf(shape: PolicyShape, config: Config, rank: number): ModelPlan['memory'] {
  const inPrecision = (base: Adapter['base']) => {
    const adapted = { ...shape, adapter: adapterOf({ rank, base }) };
    try {
      checkShape(adapted);
      return runCost(config, pretrainedShape({ shape: adapted }, config)).bytes;
    } catch (error) {
      // For instance, a width that is not a multiple of int4's group size.
      if (error instanceof PolicyShapeError) return null;
      throw error;
    }
  };
  const memory = Object.fromEntries(basePrecisions.map((base) => [base, inPrecision(base)]));
  return memory as ModelPlan['memory'];
}

/** Typical length of a run's context; `planOf` measures it with the tokenizer. */
const USUAL_CONTEXT = 2048;

async function found(
  downloads: HubDownloads,
  { name, revision, config, set, rank }: Extract<ModelRequest, { readonly kind: 'check' }>,
  signal: AbortSignal,
): Promise<FoundModel> {
  const { model, modelType, shape: read } = await downloads.check(name, revision, signal);
  const shape = { ...read, architecture: architectureOf(read) };
  // The model may be downloaded even if the current run is not one for pretrained models.
  const own = criticizes(config) || isRemote(config.env.id) ? defaultConfig() : config;
  const given = setConfigValues(own, [...modelSettings, ...modelMethod(), ...set]);
  const { agent, algorithm } = given;
  const length = Math.max(agent.context_length, USUAL_CONTEXT);
  const settled: Config = {
    ...given,
    agent: { ...agent, context_length: length },
    algorithm: {
      ...algorithm,
      micro_batch_tokens: Math.max(algorithm.micro_batch_tokens, length),
    },
  };
  await loadedEnvironment(settled.env);
  return {
    ...{ model, modelType, shape },
    parameters: parametersOf(shape),
    stored: await downloads.bytesOf(model),
    memory: memoryOf(shape, settled, rank),
  };
}

/** The agent of a checkpoint as a zip. */
async function exported(
  store: ModelStore,
  { checkpoint: bytes, format }: Extract<ModelRequest, { readonly kind: 'export' }>,
): Promise<Uint8Array<ArrayBuffer>> {
  const checkpoint = decodeCheckpoint(bytes);
  const { base } = firstStudent(checkpoint);
  if (base === null) throw new CheckpointError('it holds a whole network, not an adapter');
  const { folder, opened } = await store.openModel(base);
  const model = adaptedModel(opened, base.name, keptAdapter(base));
  const parts = { checkpoint, folder, opened, model, format, license: null };
  return zipAgent(await exportModel(parts));
}

function isRefusal(error: unknown): boolean {
  return [
    AgentFileError,
    CheckpointError,
    ConfigError,
    GgufError,
    HubError,
    ModelMissingError,
    ModelStoreError,
    SpellingError,
    ZipTooLargeError,
  ].some((known) => error instanceof known);
}
