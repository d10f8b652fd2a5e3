/**
 * Reads and writes adapters in PEFT's layout (huggingface/peft, LoraConfig): `adapter_config.json`, and
 * `adapter_model.safetensors` with lora_A (rank, inputs) and lora_B (outputs, rank) for every module.
 */
import { z } from 'zod';
import { jsonLimits } from '../../files/limits.ts';
import { firstFault, pathText } from '../../files/schema.ts';
import {
  adaptedLinears,
  adapterNames,
  MOST_ALPHA,
  MOST_RANK,
  parameterLayout,
} from '../../policy/layout.ts';
import {
  type Adapter,
  type AdapterTarget,
  adapterTargets,
  type PolicyShape,
  type WeightTensor,
} from '../../policy/types.ts';
import { encodeSafeTensors, openSafeTensors, SafeTensorsError } from '../../runs/safetensors.ts';
import { AgentFileError, agentJson } from '../errors.ts';
import { type ModelFolder, neededFile } from './model-files.ts';

const CONFIG = 'adapter_config.json';
const WEIGHTS = 'adapter_model.safetensors';
export const peftNames: readonly string[] = [CONFIG, WEIGHTS];

/** An adapter's own settings. The precision of the base belongs to the run. */
type AdapterForm = Omit<Adapter, 'base'>;

/** Path of a linear layer within a transformer layer. */
function moduleOf(target: AdapterTarget): string {
  return ['gate_proj', 'up_proj', 'down_proj'].includes(target)
    ? `mlp.${target}`
    : `self_attn.${target}`;
}

/** The A and B matrices of one module, and their position in the policy's parameters. */
export interface Pair {
  /** Hugging Face's name of the adapted tensor. */
  readonly tensor: string;
  readonly a: { readonly name: string; readonly parameter: string };
  readonly b: { readonly name: string; readonly parameter: string };
  readonly inputs: number;
  readonly outputs: number;
  readonly rank: number;
  /** Columns of the policy's A and rows of its B. */
  readonly ranks: number;
  readonly firstRank: number;
  /** Columns of the policy's B. */
  readonly columns: number;
  readonly firstColumn: number;
}

/** All pairs of an adapter. */
export function pairsOf(shape: PolicyShape): Pair[] {
  const rank = shape.adapter?.rank ?? 0;
  return [...adaptedLinears(shape)].flatMap(([matrix, { inputs, outputs, ranks, parts }]) => {
    const [, layer = ''] = /^layers\.(\d+)\./.exec(matrix) ?? [];
    const parameters = adapterNames(matrix);
    return parts.map(({ target, begin, end, firstRank }): Pair => {
      const path = `model.layers.${layer}.${moduleOf(target)}`;
      const module = `base_model.model.${path}`;
      return {
        tensor: `${path}.weight`,
        a: { name: `${module}.lora_A.weight`, parameter: parameters.a },
        b: { name: `${module}.lora_B.weight`, parameter: parameters.b },
        ...{ inputs, outputs: end - begin, rank, ranks, firstRank },
        ...{ columns: outputs, firstColumn: begin },
      };
    });
  });
}

/** Calls `visit` with each element's index in PEFT's matrix and in the policy's parameter. */
function eachOfA({ inputs, rank, ranks, firstRank }: Pair, visit: Visit): void {
  for (let r = 0; r < rank; r++) {
    for (let i = 0; i < inputs; i++) visit(r * inputs + i, i * ranks + firstRank + r);
  }
}

function eachOfB({ outputs, rank, columns, firstRank, firstColumn }: Pair, visit: Visit): void {
  for (let o = 0; o < outputs; o++) {
    for (let r = 0; r < rank; r++) {
      visit(o * rank + r, (firstRank + r) * columns + firstColumn + o);
    }
  }
}

type Visit = (there: number, here: number) => void;

/**
 * The adapter's files. A value head is omitted, because generation does not use it.
 *
 * @param shape with its adapter
 * @param weights by the names of `parameterLayout`
 * @param base name of the model
 */
export function peftFiles(
  shape: PolicyShape & { readonly adapter: AdapterForm },
  weights: ReadonlyMap<string, WeightTensor>,
  base: string,
): Map<string, Uint8Array> {
  const { rank, alpha, targets } = shape.adapter;
  const tensors = new Map<string, WeightTensor>();
  for (const pair of pairsOf(shape)) {
    const { a, b, inputs, outputs } = pair;
    const take = (
      parameter: string,
      size: readonly number[],
      each: (pair: Pair, visit: Visit) => void,
    ) => {
      const from = weights.get(parameter)?.values;
      if (from === undefined) throw new RangeError(`no parameter ${parameter}`);
      const values = new Float32Array((size[0] ?? 0) * (size[1] ?? 0));
      each(pair, (there, here) => {
        values[there] = from[here] ?? 0;
      });
      return { shape: size, values };
    };
    tensors.set(a.name, take(a.parameter, [rank, inputs], eachOfA));
    tensors.set(b.name, take(b.parameter, [outputs, rank], eachOfB));
  }
  const config = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: base,
    inference_mode: true,
    r: rank,
    lora_alpha: alpha,
    lora_dropout: 0,
    target_modules: targets,
    bias: 'none',
    fan_in_fan_out: false,
    use_rslora: false,
    use_dora: false,
    modules_to_save: null,
  };
  return new Map([
    [CONFIG, new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`)],
    [WEIGHTS, encodeSafeTensors({ tensors, metadata: new Map([['format', 'pt']]) })],
  ]);
}

/** Fields of unsupported features, with the values that turn each feature off. */
const off = {
  bias: ['none'],
  fan_in_fan_out: [false],
  use_rslora: [false],
  use_dora: [false],
} as const;
const unset = ['modules_to_save', 'layers_to_transform', 'layers_pattern', 'layer_replication'];
const empty = ['rank_pattern', 'alpha_pattern'];

const configFields = z.looseObject({
  peft_type: z.literal('LORA'),
  r: z.int().min(4).max(MOST_RANK).multipleOf(4),
  lora_alpha: z.number().positive().max(MOST_ALPHA),
  target_modules: z.array(z.string().max(120)).min(1).max(64),
});

/** An adapter read from a folder. */
interface PeftAdapter {
  readonly form: AdapterForm;
  /**
   * Its weights by the policy's names.
   *
   * @param shape of the model with this adapter
   * @throws {AgentFileError} for tensors that are missing, unknown or have a wrong shape
   */
  read(shape: PolicyShape): Promise<Map<string, WeightTensor>>;
}

/** @throws {AgentFileError} naming the file and the field */
export async function openPeft(folder: ModelFolder): Promise<PeftAdapter> {
  const bytes = await neededFile(folder, CONFIG, jsonLimits.base.bytes);
  const form = readForm(agentJson(CONFIG, bytes, jsonLimits.base));
  return { form, read: (shape) => readPairs(folder, shape) };
}

function readForm(json: unknown): AdapterForm {
  const parsed = configFields.safeParse(json);
  if (!parsed.success) {
    const { path, message } = firstFault(parsed.error);
    throw new AgentFileError(`in ${CONFIG}, ${pathText(path) || 'the top level'}: ${message}`);
  }
  const fields: Readonly<Record<string, unknown>> = parsed.data;
  const refuse = (name: string) => {
    throw new AgentFileError(
      `in ${CONFIG}, ${name} is ${JSON.stringify(fields[name])?.slice(0, 60)}, which is not supported`,
    );
  };
  for (const [name, values] of Object.entries(off)) {
    const value = fields[name];
    if (value !== undefined && !values.some((known) => known === value)) refuse(name);
  }
  for (const name of unset) if ((fields[name] ?? null) !== null) refuse(name);
  for (const name of empty) if (Object.keys(fields[name] ?? {}).length > 0) refuse(name);
  const { r: rank, lora_alpha: alpha, target_modules } = parsed.data;
  // PEFT matches a module by the end of its path.
  const names = target_modules.map((name) => name.slice(name.lastIndexOf('.') + 1));
  const unknown = names.find((name) => !adapterTargets.some((target) => target === name));
  if (unknown !== undefined) {
    throw new AgentFileError(
      `in ${CONFIG}, target_modules has ${JSON.stringify(unknown)}; supported modules: ${adapterTargets.join(', ')}`,
    );
  }
  return { rank, alpha, targets: adapterTargets.filter((target) => names.includes(target)) };
}

async function readPairs(
  folder: ModelFolder,
  shape: PolicyShape,
): Promise<Map<string, WeightTensor>> {
  const source = folder(WEIGHTS);
  if (source === null) throw new AgentFileError(`${WEIGHTS} is missing`);
  const weights = new Map<string, WeightTensor>();
  for (const { name, shape: size, length } of parameterLayout(shape).slots.values()) {
    if (name === 'value_head') continue;
    weights.set(name, { shape: size, values: new Float32Array(length) });
  }
  try {
    const { tensors } = await openSafeTensors(source);
    const known = new Set<string>();
    const put = async (
      pair: Pair,
      { name, parameter }: Pair['a'],
      size: string,
      each: (pair: Pair, visit: Visit) => void,
    ) => {
      known.add(name);
      const tensor = tensors.get(name);
      if (tensor === undefined) throw new AgentFileError(`${WEIGHTS} has no tensor ${name}`);
      if (tensor.shape.join() !== size) {
        throw new AgentFileError(
          `in ${WEIGHTS}, ${name} has shape [${tensor.shape.join(', ')}]; this model needs [${size.replace(',', ', ')}]`,
        );
      }
      const from = await tensor.read();
      const bad = from.findIndex((value) => !Number.isFinite(value));
      if (bad !== -1) throw new AgentFileError(`in ${WEIGHTS}, ${name} contains NaN or infinity`);
      const to = weights.get(parameter)?.values;
      each(pair, (there, here) => {
        if (to) to[here] = from[there] ?? 0;
      });
    };
    for (const pair of pairsOf(shape)) {
      await put(pair, pair.a, `${pair.rank},${pair.inputs}`, eachOfA);
      await put(pair, pair.b, `${pair.outputs},${pair.rank}`, eachOfB);
    }
    const stray = [...tensors.keys()].find((name) => !known.has(name));
    if (stray !== undefined) {
      throw new AgentFileError(
        `${WEIGHTS} has an unexpected tensor ${JSON.stringify(stray.slice(0, 80))}`,
      );
    }
  } catch (error) {
    if (error instanceof SafeTensorsError) {
      throw new AgentFileError(`${WEIGHTS} is invalid: ${error.message}`);
    }
    throw error;
  }
  return weights;
}
