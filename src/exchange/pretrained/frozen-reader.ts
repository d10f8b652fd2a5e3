/** Reads the weights of a Hugging Face checkpoint in the layout of a policy's frozen network. */
import { frozenSlots } from '../../policy/frozen.ts';
import type { FrozenWeights, PolicyShape } from '../../policy/types.ts';
import type { LazyTensor } from '../../runs/safetensors.ts';
import { AgentFileError } from '../errors.ts';
import { type LlamaTensor, llamaTensors } from '../llama-tensors.ts';

/** Redundant tensors of older checkpoints: rotary frequencies and tied heads. */
function isDerived(name: string, { tiedEmbeddings }: PolicyShape): boolean {
  return name.endsWith('rotary_emb.inv_freq') || (tiedEmbeddings && name === 'lm_head.weight');
}

/**
 * Checks names and shapes of all tensors without reading their values.
 *
 * @param shape without a value head
 * @throws {AgentFileError} naming the first tensor that is missing, unknown or has a wrong shape
 */
function checkModelTensors(
  shape: PolicyShape,
  tensors: ReadonlyMap<string, Pick<LazyTensor, 'shape'>>,
): void {
  const known = new Set<string>();
  for (const { name, shape: wanted } of llamaTensors(shape)) {
    known.add(name);
    const found = tensors.get(name)?.shape;
    if (found === undefined) throw new AgentFileError(`its weights have no tensor ${name}`);
    if (String(found) === String(wanted)) continue;
    throw new AgentFileError(
      `the tensor ${name} has shape [${found.join(', ')}]; config.json implies [${wanted.join(', ')}]`,
    );
  }
  const stray = [...tensors.keys()].find((name) => !known.has(name) && !isDerived(name, shape));
  if (stray === undefined) return;
  throw new AgentFileError(
    `its weights have an unexpected tensor ${JSON.stringify(stray.slice(0, 80))}`,
  );
}

/**
 * Reads weights by the policy's names. Both sides store a linear layer as (outputs, inputs). A policy matrix
 * is the concatenation of one or more checkpoint matrices along the outputs.
 *
 * @param shape without a value head
 * @throws {AgentFileError} as `checkModelTensors`
 */
export function frozenReader(
  shape: PolicyShape,
  tensors: ReadonlyMap<string, LazyTensor>,
): FrozenWeights {
  checkModelTensors(shape, tensors);
  const parts = new Map<string, LlamaTensor[]>();
  for (const tensor of llamaTensors(shape)) {
    const { parameter } = tensor.source;
    parts.set(parameter, [...(parts.get(parameter) ?? []), tensor]);
  }
  const lengths = new Map(
    frozenSlots(shape).map(({ name, shape: size }) => [name, size.reduce((a, b) => a * b, 1)]),
  );
  const read = async ({ name, source: { offset } }: LlamaTensor) => {
    const values = await tensors.get(name)?.read();
    if (values === undefined) throw new AgentFileError(`its weights have no tensor ${name}`);
    if (offset === 0) return values;
    return values.map((value) => value + offset);
  };
  return async (name) => {
    const own = parts.get(name) ?? [];
    const [only, ...others] = own;
    if (only !== undefined && others.length === 0) return read(only);
    const joined = new Float32Array(lengths.get(name) ?? 0);
    let at = 0;
    for (const part of own.toSorted((a, b) => a.source.firstColumn - b.source.firstColumn)) {
      const values = await read(part);
      joined.set(values, at);
      at += values.length;
    }
    return joined;
  };
}
