import { parameterLayout } from '../policy/layout.ts';
import type { PolicyShape, WeightTensor } from '../policy/types.ts';

/** A trained network that training starts from, instead of random weights. */
export interface InitialAgent {
  readonly shape: PolicyShape;
  /** (V) the text of every token by id. */
  readonly vocabulary: readonly string[];
  /** The rules of a byte-pair tokenizer, which the run then uses; null for a word-level one. */
  readonly bpe: unknown;
  /** Weights by the policy's parameter names. */
  readonly weights: ReadonlyMap<string, WeightTensor>;
}

/** Thrown for an agent whose shape or vocabulary does not match the run. */
export class InitialAgentError extends Error {
  override readonly name = 'InitialAgentError';
  constructor(differences: readonly string[]) {
    super(
      `This agent cannot be the start of this run: ${differences.join('; ')}. Set the run’s environment, format and policy to those of the agent.`,
    );
  }
}

/** The fields of a shape, named as in the config. */
type Size = Exclude<keyof PolicyShape, 'architecture' | 'adapter'>;
const names: Readonly<Record<Size, string>> = {
  vocabulary: 'size of the vocabulary',
  layers: 'policy.layers',
  width: 'policy.width',
  heads: 'policy.heads',
  kvHeads: 'policy.kv_heads',
  ffnWidth: 'policy.ffn_width',
  tiedEmbeddings: 'policy.tied_embeddings',
  valueHead: 'value head',
};

/**
 * The initial weights of a run. If the run has a value head and the given weights do not, it starts
 * at zero, as in a run with random weights.
 */
export function withValueHead(
  weights: ReadonlyMap<string, WeightTensor>,
  shape: PolicyShape,
): ReadonlyMap<string, WeightTensor> {
  const head = parameterLayout(shape).slots.get('value_head');
  if (head === undefined || weights.has(head.name)) return weights;
  return new Map(weights).set(head.name, {
    shape: head.shape,
    values: new Float32Array(head.length),
  });
}

/**
 * Compares an agent with the policy and vocabulary of a run. A byte-pair tokenizer belongs to the
 * run, and a value head may be missing in the agent.
 * @throws {InitialAgentError} that lists all differing shape fields and the first differing token
 */
export function checkInitialAgent(
  agent: InitialAgent,
  shape: PolicyShape,
  vocabulary: readonly string[],
): void {
  const differences: string[] = [];
  for (const field of Object.keys(names) as Size[]) {
    const [theirs, ours] = [agent.shape[field], shape[field]];
    const lacksValues = field === 'valueHead' && !agent.shape.valueHead;
    if (theirs !== ours && !lacksValues)
      differences.push(
        `${names[field]} is ${valueText(theirs)} in the agent, ${valueText(ours)} in the run`,
      );
  }
  const block = ({ architecture }: PolicyShape) => JSON.stringify(architecture ?? null);
  if (block(agent.shape) !== block(shape)) {
    const type = ({ architecture }: PolicyShape) => architecture?.modelType ?? 'Palestra’s own';
    differences.push(`the block is ${type(agent.shape)} in the agent, ${type(shape)} in the run`);
  }
  const id = agent.vocabulary.findIndex(
    (token, i) => i < vocabulary.length && token !== vocabulary[i],
  );
  if (id !== -1) {
    const [theirs, ours] = [agent.vocabulary[id], vocabulary[id]];
    differences.push(
      `token ${id} is ${JSON.stringify(theirs)} in the agent, ${JSON.stringify(ours)} in the run`,
    );
  }
  if (differences.length > 0) throw new InitialAgentError(differences);
}

function valueText(value: number | boolean): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}
