/** Merges an adapter into its pretrained model, for programs without adapter support. */
import { toHalf } from '../../files/half.ts';
import type { Adapter, PolicyShape, WeightTensor } from '../../policy/types.ts';
import { encodeSafeTensors, type HalfTensor } from '../../runs/safetensors.ts';
import { AgentFileError } from '../errors.ts';
import { type GgufPrecision, ggufFile, preTokenizer } from '../gguf.ts';
import { llamaTensors } from '../llama-tensors.ts';
import type { OpenedModel } from './open-model.ts';
import { type Pair, pairsOf } from './peft.ts';

/** Reads a tensor of the merged model by its Hugging Face name. */
type MergedReader = (name: string) => Promise<Float32Array>;

/**
 * W + (alpha / rank) · (A·B)ᵀ, for W of (outputs, inputs).
 *
 * @param shape of the model with its adapter
 * @param weights the adapter's weights, by the names of `parameterLayout`
 */
export function mergedReader(
  { weights: { tensors } }: Pick<OpenedModel, 'weights'>,
  shape: PolicyShape & { readonly adapter: Adapter },
  weights: ReadonlyMap<string, WeightTensor>,
): MergedReader {
  const pairs = new Map(pairsOf(shape).map((pair) => [pair.tensor, pair]));
  return async (name) => {
    const values = await tensors.get(name)?.read();
    if (values === undefined) throw new AgentFileError(`its weights have no tensor ${name}`);
    const pair = pairs.get(name);
    return pair === undefined ? values : merged(values, pair, shape.adapter, weights);
  };
}

function merged(
  values: Float32Array,
  { a, b, inputs, outputs, rank, ranks, columns, firstRank, firstColumn }: Pair,
  { alpha }: Adapter,
  weights: ReadonlyMap<string, WeightTensor>,
): Float32Array {
  const [left, right] = [weights.get(a.parameter)?.values, weights.get(b.parameter)?.values];
  if (!left || !right) throw new AgentFileError(`its adapter has no tensor ${a.parameter}`);
  const scale = alpha / rank;
  const row = new Float64Array(inputs);
  for (let o = 0; o < outputs; o++) {
    row.fill(0);
    for (let r = 0; r < rank; r++) {
      const factor = scale * (right[(firstRank + r) * columns + firstColumn + o] ?? 0);
      if (factor === 0) continue;
      for (let i = 0; i < inputs; i++) {
        row[i] = (row[i] ?? 0) + factor * (left[i * ranks + firstRank + r] ?? 0);
      }
    }
    for (let i = 0; i < inputs; i++) {
      values[o * inputs + i] = (values[o * inputs + i] ?? 0) + (row[i] ?? 0);
    }
  }
  return values;
}

/** `model.safetensors` in float16. */
export async function mergedSafeTensors(
  shape: PolicyShape,
  read: MergedReader,
): Promise<Uint8Array> {
  const halves = new Map<string, HalfTensor>();
  for (const { name, shape: size } of llamaTensors({ ...shape, valueHead: false })) {
    halves.set(name, { shape: size, bits: Uint16Array.from(await read(name), toHalf) });
  }
  const metadata = new Map([['format', 'pt']]);
  return encodeSafeTensors({ tensors: new Map(), halves, metadata });
}

/**
 * The merged model as GGUF.
 *
 * @throws {GgufError} for a tokenizer or a shape that llama.cpp does not support
 */
export function mergedGguf(
  { texts, config }: Pick<OpenedModel, 'texts' | 'config'>,
  shape: PolicyShape,
  read: MergedReader,
  { name, precision }: { readonly name: string; readonly precision: GgufPrecision },
): Promise<Uint8Array> {
  const { vocabulary, rules, template, special, ends } = texts;
  const bos = special.bos_token === undefined ? -1 : vocabulary.indexOf(special.bos_token);
  const ids = (all: readonly { readonly id: number }[]) => new Set(all.map(({ id }) => id));
  const contextLength = Number(config.max_position_embeddings);
  return ggufFile(shape, read, {
    ...{ name, precision },
    contextLength: Number.isSafeInteger(contextLength) ? contextLength : 2048,
    tokenizer: {
      tokens: vocabulary,
      special: ids(rules.added_tokens.filter(({ special }) => special)),
      userDefined: ids(rules.added_tokens.filter(({ special }) => !special)),
      unused: new Set(vocabulary.flatMap((token, id) => (token === `<unused_${id}>` ? [id] : []))),
      merges: rules.merges.map((pair) => pair.join(' ')),
      pre: preTokenizer(rules),
      bos: bos < 0 ? null : bos,
      end: ends[0] ?? rules.special.end,
      pad: rules.special.pad,
      template,
    },
  });
}
