import { parameterLayout } from '../policy/layout.ts';
import type { PolicyShape, WeightTensor } from '../policy/types.ts';

/** A trained network that training goes on from, in place of random weights. */
export interface InitialAgent {
  readonly shape: PolicyShape;
  /** (V) the text of every token by id. */
  readonly vocabulary: readonly string[];
  /** The rules of a byte-pair tokenizer, which the run then reads and writes with; null for whole words. */
  readonly bpe: unknown;
  /** By the names of the policy's parameters. */
  readonly weights: ReadonlyMap<string, WeightTensor>;
}

/** Thrown for an agent that a run of other shape or vocabulary cannot begin with. */
export class InitialAgentError extends Error {
  override readonly name = 'InitialAgentError';
  constructor(differences: readonly string[]) {
    super(
      `This agent cannot be the start of this run: ${differences.join('; ')}. Set the run’s environment, format and policy to those of the agent.`,
    );
  }
}

/** The fields of a shape as the config calls them. */
const names: Readonly<Record<keyof PolicyShape, string>> = {
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
 * The weights that a run begins with: the agent's. Where only the run has a value head, it is one of
 * zeros, as in a run of random weights.
 */
export function initialWeights(
  { weights }: InitialAgent,
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
 * Compares an agent with the policy and vocabulary of a run. A byte-pair tokenizer is the run's own,
 * and so is a value head that the agent has not.
 *
 * @throws {InitialAgentError} with every field of the shape, and the first token, that differ.
 */
export function checkInitialAgent(
  agent: InitialAgent,
  shape: PolicyShape,
  vocabulary: readonly string[],
): void {
  const differences: string[] = [];
  for (const field of Object.keys(names) as (keyof PolicyShape)[]) {
    const [theirs, ours] = [agent.shape[field], shape[field]];
    const lacksValues = field === 'valueHead' && !agent.shape.valueHead;
    if (theirs !== ours && !lacksValues)
      differences.push(`${names[field]} is ${said(theirs)} in the agent, ${said(ours)} in the run`);
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

function said(value: number | boolean): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}
