/** The page's requests about stored models, and their answers. */
import { runCost } from '../../agents/cost.ts';
import { pretrainedShape } from '../../agents/shape.ts';
import { SpellingError } from '../../agents/spelling.ts';
import { ConfigError } from '../../config/error.ts';
import type { Assignment } from '../../config/methods.ts';
import type { Config } from '../../config/schema.ts';
import { setConfigValues } from '../../config/text.ts';
import { loadedEnvironment } from '../../envs/registry.ts';
import type { Adapter } from '../../policy/types.ts';
import {
  CheckpointError,
  decodeCheckpoint,
  firstStudent,
  type KeptBase,
} from '../../runs/checkpoint.ts';
import { zipAgent } from '../agent-files.ts';
import { settingsForModel } from '../begin.ts';
import { AgentFileError } from '../errors.ts';
import { GgufError } from '../gguf.ts';
import { adapterOf, basePrecisions, keptAdapter, modelMethod, modelSettings } from './defaults.ts';
import { exportModel, type ModelFormat } from './export-model.ts';
import {
  ModelMissingError,
  type ModelStore,
  ModelStoreError,
  type StoredModel,
} from './model-store.ts';
import { adaptedModel } from './open-model.ts';

/** A stored model as a request names it. */
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
  /** Writes the agent of a checkpoint in the format of another tool. */
  | {
      readonly kind: 'export';
      readonly checkpoint: Uint8Array<ArrayBuffer>;
      readonly format: ModelFormat;
    };

/** A run with a pretrained model. */
export interface ModelPlan {
  readonly config: Config;
  /** Memory in bytes for each precision of the frozen weights; null if the model does not support it. */
  readonly memory: Readonly<Record<Adapter['base'], number | null>>;
}

export type ModelAnswer =
  | { readonly kind: 'progress'; readonly fraction: number }
  | { readonly kind: 'models'; readonly models: readonly StoredModel[] }
  | { readonly kind: 'added'; readonly model: StoredModel }
  | { readonly kind: 'plan'; readonly plan: ModelPlan }
  | { readonly kind: 'exported'; readonly zip: Uint8Array<ArrayBuffer> }
  /** The request cannot be fulfilled; the message is one or two sentences. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Any other error. */
  | { readonly kind: 'failed'; readonly message: string };

/** Answers a request; never rejects. */
export async function answerModelRequest(
  request: ModelRequest,
  open: () => Promise<ModelStore>,
  onProgress: (fraction: number) => void,
): Promise<ModelAnswer> {
  try {
    const store = await open();
    switch (request.kind) {
      case 'list':
        return { kind: 'models', models: await store.list() };
      case 'add':
        return { kind: 'added', model: await store.add(request.name, request.files, onProgress) };
      case 'remove':
        await store.remove(request.digest);
        return { kind: 'models', models: await store.list() };
      case 'plan':
        return { kind: 'plan', plan: await planOf(store, request) };
      case 'export':
        return { kind: 'exported', zip: await exported(store, request) };
      default:
        return request satisfies never;
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: isRefusal(error) ? 'refused' : 'failed', message };
  }
}

/** The run that `train --model` would start, and its memory. */
async function planOf(
  store: ModelStore,
  { model: named, config, set, rank }: Extract<ModelRequest, { readonly kind: 'plan' }>,
): Promise<ModelPlan> {
  const { opened } = await store.openModel(named);
  const given = setConfigValues(config, [...modelSettings, ...modelMethod(), ...set]);
  const environment = await loadedEnvironment(given.env);
  const withBase = (base: Adapter['base']) =>
    adaptedModel(opened, named.name, adapterOf({ rank, base }));
  const settled = settingsForModel(withBase('f32'), given, environment);
  const memoryOf = (base: Adapter['base']) => {
    try {
      return runCost(settled, pretrainedShape(withBase(base), settled)).bytes;
    } catch (error) {
      // For instance, rows that int4 cannot group.
      if (error instanceof AgentFileError) return null;
      throw error;
    }
  };
  const memory = Object.fromEntries(basePrecisions.map((base) => [base, memoryOf(base)]));
  return { config: settled, memory: memory as ModelPlan['memory'] };
}

/** The agent of a checkpoint as a zip, for its owner to share under MIT. */
async function exported(
  store: ModelStore,
  { checkpoint: bytes, format }: Extract<ModelRequest, { readonly kind: 'export' }>,
): Promise<Uint8Array<ArrayBuffer>> {
  const checkpoint = decodeCheckpoint(bytes);
  const { base } = firstStudent(checkpoint);
  if (base === null) throw new CheckpointError('it holds a whole network, not an adapter');
  const { folder, opened } = await store.openModel(base);
  const model = adaptedModel(opened, base.name, keptAdapter(base));
  const parts = { checkpoint, folder, opened, model, format, license: 'MIT' };
  return zipAgent(await exportModel(parts));
}

function isRefusal(error: unknown): boolean {
  return [
    AgentFileError,
    CheckpointError,
    ConfigError,
    GgufError,
    ModelMissingError,
    ModelStoreError,
    SpellingError,
  ].some((known) => error instanceof known);
}
