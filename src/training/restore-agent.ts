import type { Agent } from '../agents/agent.ts';
import { agentFor } from '../agents/agent.ts';
import { policyCapacity } from '../agents/capacity.ts';
import type { PretrainedModel } from '../agents/pretrained.ts';
import { policyShape, pretrainedShape } from '../agents/shape.ts';
import { loadedEnvironment } from '../envs/registry.ts';
import { openTokenizer } from '../policy/open-tokenizer.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import { TokenizerError } from '../policy/tokenizer-error.ts';
import type { CreatePolicy } from '../policy/types.ts';
import { WeightsError } from '../policy/types.ts';
import type { Checkpoint, KeptAgent } from '../runs/checkpoint.ts';
import { CheckpointError, checkFinite, checkSameBase, firstStudent } from '../runs/checkpoint.ts';

/**
 * The agent of a checkpoint, ready to play.
 *
 * @throws {CheckpointError} if its vocabulary is invalid or its tensors do not fit
 */
export async function restoreAgent(
  checkpoint: KeptAgent,
  createPolicy: CreatePolicy,
): Promise<Agent> {
  const { config, weights } = checkpoint;
  checkFinite(weights);
  const tokenizer = await restoreTokenizer(checkpoint);
  const shape = policyShape(config, tokenizer.size);
  const { turnLimit } = await loadedEnvironment(config.env);
  const capacity = policyCapacity(config, shape, turnLimit);
  const policy = await createPolicy(shape, capacity, 0);
  try {
    policy.writeWeights(weights);
  } catch (error) {
    policy.destroy();
    throw error instanceof WeightsError ? new CheckpointError(error.message) : error;
  }
  return agentFor(config, policy, tokenizer, config.seed);
}

/**
 * The agent of a checkpoint that holds an adapter, ready to play.
 *
 * @throws {CheckpointError} if it was trained on another model
 */
export async function restoreAdapted(
  checkpoint: Checkpoint,
  model: PretrainedModel,
  createPolicy: CreatePolicy,
): Promise<Agent> {
  const { config } = checkpoint;
  const { base, weights } = firstStudent(checkpoint);
  checkSameBase(base, { ...model.identity, adapter: model.shape.adapter });
  const environment = await loadedEnvironment(config.env);
  const shape = pretrainedShape(model, config);
  const capacity = policyCapacity(config, shape, environment.turnLimit);
  const policy = await createPolicy(shape, capacity, 0, model.weights);
  try {
    policy.writeWeights(weights);
  } catch (error) {
    policy.destroy();
    throw error instanceof WeightsError ? new CheckpointError(error.message) : error;
  }
  const tokenizer = model.tokenizerFor(environment, config.agent.format);
  return agentFor(config, policy, tokenizer, config.seed);
}

/** @throws {CheckpointError} for an invalid vocabulary */
export async function restoreTokenizer({
  vocabulary,
  bpe,
}: Pick<KeptAgent, 'vocabulary' | 'bpe'>): Promise<Tokenizer> {
  try {
    return await openTokenizer(vocabulary, bpe);
  } catch (error) {
    if (error instanceof TokenizerError)
      throw new CheckpointError(`in its vocabulary, ${error.message}`);
    throw error;
  }
}
