/** The options of commands that train, play or export a pretrained model. */
import type { PretrainedModel } from '../agents/pretrained.ts';
import {
  adapterDefaults,
  adapterOf,
  basePrecisions,
  keptAdapter,
} from '../exchange/pretrained/defaults.ts';
import { cachedName } from '../exchange/pretrained/model-files.ts';
import { adaptedModel, type OpenedModel, openModel } from '../exchange/pretrained/open-model.ts';
import { openPeft } from '../exchange/pretrained/peft.ts';
import { fileLimits } from '../files/limits.ts';
import { MOST_RANK } from '../policy/layout.ts';
import {
  type Adapter,
  type AdapterTarget,
  adapterTargets,
  type PolicyShape,
} from '../policy/types.ts';
import {
  decodeCheckpoint,
  firstStudent,
  type KeptBase,
  type ReadCheckpoint,
} from '../runs/checkpoint.ts';
import { openFolder, readGivenFile } from './files.ts';
import { oneOf, optional, whole } from './flags.ts';
import { UsageError } from './usage.ts';

const modelFlag = optional(
  'DIR',
  'train a LoRA adapter for the pretrained model in this folder, which contains config.json, tokenizer.json, tokenizer_config.json with a chat template, and model.safetensors; model types: llama, qwen2, qwen3 and gemma3_text',
);

export const modelFlags = {
  model: modelFlag,
  adapter: optional('DIR', 'with --model: start from the adapter in this folder, as saved by PEFT'),
  'lora-rank': optional(
    'N',
    `with --model: rank of the adapter, a multiple of 4 up to ${MOST_RANK} (default: ${adapterDefaults.rank})`,
    readRank,
  ),
  'lora-alpha': optional(
    'N',
    'with --model: the adapter’s output is scaled by alpha / rank (default: twice the rank)',
    whole(1, 100_000),
  ),
  'lora-targets': optional(
    'LIST',
    `with --model: linear layers that get an adapter, from ${adapterTargets.join(',')} (default: all)`,
    readTargets,
  ),
  base: optional(
    'NAME',
    `with --model: precision of the frozen weights: ${basePrecisions.join(', ')} (default: ${adapterDefaults.base})`,
    oneOf(basePrecisions),
  ),
} as const;

function readRank(text: string, name: string): number {
  const rank = Number(text);
  if (/^\d+$/.test(text) && rank >= 4 && rank <= MOST_RANK && rank % 4 === 0) return rank;
  throw new UsageError(
    `--${name} must be a multiple of 4 from 4 to ${MOST_RANK}, got ${JSON.stringify(text)}`,
  );
}

function readTargets(text: string, name: string): readonly AdapterTarget[] {
  const names = text.split(',');
  const unknown = names.find((one) => !adapterTargets.some((target) => target === one));
  if (unknown !== undefined) {
    throw new UsageError(
      `--${name} does not accept ${JSON.stringify(unknown)}; choose from ${adapterTargets.join(',')}`,
    );
  }
  return adapterTargets.filter((target) => names.includes(target));
}

type ModelValues = {
  readonly [Name in keyof typeof modelFlags]: ReturnType<(typeof modelFlags)[Name]['read']>;
};

/** The model that a command line names. */
export interface ModelRequest {
  readonly folder: string;
  /** The folder of the adapter that training starts from. */
  readonly adapterFolder: string | null;
  /** The adapter options that were given. */
  readonly form: Partial<Adapter>;
}

const formFlags = ['lora-rank', 'lora-alpha', 'lora-targets', 'base'] as const;

/**
 * @param resumes whether a checkpoint is resumed; its adapter then takes precedence
 * @throws {UsageError} for options that need or exclude others
 */
export function modelRequest(values: ModelValues, resumes: boolean): ModelRequest | null {
  const { model, adapter, base } = values;
  const extra = (['adapter', ...formFlags] as const).find((name) => values[name] !== undefined);
  if (model === undefined) {
    if (extra !== undefined) throw new UsageError(`--${extra} needs --model DIR`);
    return null;
  }
  if (resumes && extra !== undefined) {
    throw new UsageError(`--resume includes its own adapter; omit --${extra}`);
  }
  const fixed =
    adapter === undefined
      ? undefined
      : formFlags.find((name) => name !== 'base' && values[name] !== undefined);
  if (fixed !== undefined) {
    throw new UsageError(`--adapter includes its own settings; omit --${fixed}`);
  }
  const rank = values['lora-rank'];
  const alpha = values['lora-alpha'];
  const targets = values['lora-targets'];
  return {
    folder: model,
    adapterFolder: adapter ?? null,
    form: {
      ...(rank !== undefined && { rank }),
      ...(alpha !== undefined && { alpha }),
      ...(targets !== undefined && { targets }),
      ...(base !== undefined && { base }),
    },
  };
}

/** @throws {AgentFileError} naming the file and the field */
export function openModelAt(folder: string): Promise<OpenedModel> {
  return openModel(openFolder('--model', 'the model file', folder));
}

/** `HuggingFaceTB/SmolLM2-135M`: from a path in the Hugging Face cache, else the last two parts. */
function modelName(folder: string): string {
  const parts = folder.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
  return (cachedName(parts) ?? parts.slice(-2).join('/').slice(-200)) || 'model';
}

/**
 * The model with the requested adapter.
 *
 * @param kept the pretrained model of the checkpoint that is resumed; its adapter's settings take
 *   precedence
 * @throws {AgentFileError} naming the file and the field
 */
export async function requestedModel(
  { folder, adapterFolder, form }: ModelRequest,
  kept: KeptBase | null,
): Promise<PretrainedModel> {
  const opened = await openModelAt(folder);
  const name = modelName(folder);
  if (kept !== null) return adaptedModel(opened, kept.name, keptAdapter(kept));
  if (adapterFolder !== null) {
    const peft = await openPeft(openFolder('--adapter', 'the adapter file', adapterFolder));
    const adapter = { ...peft.form, base: form.base ?? adapterDefaults.base };
    const { shape } = adaptedModel(opened, name, adapter);
    return adaptedModel(opened, name, adapter, await peft.read(shape));
  }
  return adaptedModel(opened, name, adapterOf(form));
}

/**
 * A checkpoint of an adapter.
 *
 * @throws {UsageError} for a checkpoint of a whole network
 * @throws {CheckpointError}
 */
export function readAdapted(file: string): {
  readonly checkpoint: ReadCheckpoint;
  readonly base: KeptBase;
} {
  const checkpoint = decodeCheckpoint(readGivenFile('the checkpoint', file, fileLimits.checkpoint));
  const { base } = firstStudent(checkpoint);
  if (base !== null) return { checkpoint, base };
  throw new UsageError(`--checkpoint ${file} holds a whole network, not an adapter; omit --model`);
}

/** A line that describes the trained model. */
export function modelLine({ identity, shape }: PretrainedModel): string {
  const { adapter, layers, width, vocabulary } = shape;
  const { architecture } = shape satisfies PolicyShape;
  return `${identity.name}: ${architecture?.modelType ?? 'llama'}, ${layers} layers, width ${width}, vocabulary of ${vocabulary} tokens, weights frozen in ${adapter.base}; adapter of rank ${adapter.rank}, alpha ${adapter.alpha}, on ${adapter.targets.join(', ')}`;
}
