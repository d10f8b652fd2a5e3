/** Exports a pretrained model that was trained with an adapter. */

import type { PretrainedModel } from '../../agents/pretrained.ts';
import { pretrainedShape } from '../../agents/shape.ts';
import { matchMethod } from '../../config/methods.ts';
import { jsonLimits } from '../../files/limits.ts';
import { checkWeights, parameterLayout } from '../../policy/layout.ts';
import { WeightsError } from '../../policy/types.ts';
import {
  type Checkpoint,
  CheckpointError,
  checkSameBase,
  firstStudent,
  type KeptBase,
} from '../../runs/checkpoint.ts';
import type { AgentFiles } from '../agent-files.ts';
import { mergedGguf, mergedReader, mergedSafeTensors } from './merged.ts';
import { copiedFiles, type ModelFolder, smallFile } from './model-files.ts';
import type { OpenedModel } from './open-model.ts';
import { peftFiles, peftNames } from './peft.ts';

/** Export formats of an adapted model. */
export const modelFormats = ['adapter', 'merged', 'gguf-f16', 'gguf-q8_0'] as const;
export type ModelFormat = (typeof modelFormats)[number];

const GGUF = 'model.gguf';
const RUN = 'palestra.json';

/** Names of the files that `exportModel` writes. */
export const modelFileNames: readonly string[] = [
  ...['README.md', RUN, 'config.json', 'model.safetensors', GGUF],
  ...peftNames,
  ...copiedFiles,
];

interface ModelExport {
  readonly checkpoint: Checkpoint;
  readonly folder: ModelFolder;
  readonly opened: OpenedModel;
  /** The base model with the checkpoint's adapter. */
  readonly model: PretrainedModel;
  readonly format: ModelFormat;
  /** SPDX identifier for the model card; null: MIT for an adapter, `other` with weights of the base model. */
  readonly license: string | null;
}

/**
 * @throws {CheckpointError} for a checkpoint of another model
 * @throws {GgufError} for a model that cannot be written as GGUF
 */
export async function exportModel(request: ModelExport): Promise<AgentFiles> {
  const { checkpoint, model, format } = request;
  const { base, weights } = firstStudent(checkpoint);
  checkSameBase(base, { ...model.identity, adapter: model.shape.adapter });
  const shape = pretrainedShape(model, checkpoint.config);
  try {
    checkWeights(parameterLayout(shape), weights);
  } catch (error) {
    throw error instanceof WeightsError ? new CheckpointError(error.message) : error;
  }
  const { config, iteration, turns, tokens } = checkpoint;
  const run = { model: base, iteration, turns, tokens, config };
  return new Map([
    ['README.md', encoded(card(request, base))],
    [RUN, encoded(`${JSON.stringify(run, null, 2)}\n`)],
    ...(format === 'adapter'
      ? peftFiles(shape, weights, model.identity.name)
      : await mergedFiles(request, shape, weights)),
  ]);
}

async function mergedFiles(
  { opened, folder, model, format }: ModelExport,
  shape: ReturnType<typeof pretrainedShape>,
  weights: Parameters<typeof mergedReader>[2],
): Promise<AgentFiles> {
  const read = mergedReader(opened, shape, weights);
  if (format !== 'merged') {
    const precision = format === 'gguf-f16' ? 'f16' : 'q8_0';
    const { name } = model.identity;
    return new Map([[GGUF, await mergedGguf(opened, shape, read, { name, precision })]]);
  }
  const { torch_dtype: _, dtype: __, ...fields } = opened.config;
  const files = new Map<string, Uint8Array>();
  files.set(
    'config.json',
    encoded(`${JSON.stringify({ ...fields, torch_dtype: 'float16' }, null, 2)}\n`),
  );
  for (const name of copiedFiles) {
    const file = await smallFile(folder, name, jsonLimits.tokenizer.bytes);
    if (file !== null) files.set(name, file);
  }
  files.set('model.safetensors', await mergedSafeTensors(shape, read));
  return files;
}

const encoded = (text: string) => new TextEncoder().encode(text);

/** Usage example for the model card, by format. */
const usage: Readonly<Record<ModelFormat, (name: string) => string>> = {
  adapter: (name) => `\`\`\`python
from peft import PeftModel
from transformers import AutoModelForCausalLM

model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(${JSON.stringify(name)}), "this-folder")
\`\`\``,
  merged: () => `\`\`\`python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("this-folder")
model = AutoModelForCausalLM.from_pretrained("this-folder")
\`\`\``,
  'gguf-f16': () => `\`\`\`sh
llama-cli -m ${GGUF} --jinja
\`\`\``,
  'gguf-q8_0': () => `\`\`\`sh
llama-cli -m ${GGUF} --jinja
\`\`\``,
};

function card({ checkpoint, format, license, model }: ModelExport, base: KeptBase | null): string {
  const { config, iteration, turns } = checkpoint;
  const { rank, alpha, targets, base: precision } = model.shape.adapter;
  const environments = config.env.mixture.length === 0 ? [config.env] : config.env.mixture;
  const names = environments.map(({ id }) => `\`${id}\``).join(', ');
  const name = base?.name ?? model.identity.name;
  const [library, tags] = format === 'adapter' ? ['peft', '\n  - lora'] : ['transformers', ''];
  return `---
license: ${(license ?? (format === 'adapter' ? 'MIT' : 'other')).toLowerCase()}
library_name: ${library}
base_model: ${JSON.stringify(name)}
pipeline_tag: text-generation
tags:
  - reinforcement-learning
  - palestra${tags}
---

# ${name}, trained in ${names}

${name}, trained by reinforcement learning in Palestra to act in ${names}. The license of the base model applies to its weights.

## Training

| | |
| --- | --- |
| Environment | ${names} |
| Method | ${matchMethod(config)?.title ?? `custom settings (see ${RUN})`} |
| Adapter | LoRA, rank ${rank}, alpha ${alpha}, on ${targets.join(', ')} |
| Frozen weights in training | ${precision} |
| Seed | ${config.seed} |
| Iterations | ${iteration} |
| Turns played | ${turns} |

All settings are in \`${RUN}\`. A dialogue starts with the environment's instruction and the answer "OK. I will follow these instructions."; then observations and actions alternate in the model's chat template.

## Use

${usage[format](name)}
`;
}
