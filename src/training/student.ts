import { type Agent, agentFor } from '../agents/agent.ts';
import { policyCapacity } from '../agents/capacity.ts';
import { longestHorizon } from '../agents/horizon.ts';
import type { PretrainedModel } from '../agents/pretrained.ts';
import { policyShape, pretrainedShape } from '../agents/shape.ts';
import { checkInitialAgent, type InitialAgent, withValueHead } from '../agents/start.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../envs/types.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { CreatePolicy } from '../policy/types.ts';
import type { KeptBase, KeptStudent } from '../runs/checkpoint.ts';
import { CheckpointError, checkSameBase } from '../runs/checkpoint.ts';
import { Learner } from './learn/learner.ts';
import type { SkippedUpdates } from './learn/updates.ts';
import { Updater } from './learn/updates.ts';
import type { RandomStreams } from './random.ts';

/** Inputs for creating a student. */
interface StudentParts {
  readonly config: Config;
  readonly environment: Environment;
  readonly tokenizer: Tokenizer;
  readonly streams: RandomStreams;
  readonly createPolicy: CreatePolicy;
  /** Its weights, if not random. */
  readonly initial?: InitialAgent;
  /** The pretrained model to which it adds an adapter; null for a network of the config's size. */
  readonly model: PretrainedModel | null;
}

/** A student's training state besides the state of its policy. */
export interface StudentState {
  /** Number of reinforcement-learning updates so far, which determines the learning rate. */
  readonly updates: number;
  readonly skipped: SkippedUpdates;
}

/**
 * An agent that learns: its policy for playing, its optimizer for updates, and the state of both.
 */
export class Student {
  readonly agent: Agent;
  /** Single updates, for any loss. */
  readonly updater: Updater;
  /** The reinforcement-learning updates of an iteration. */
  readonly learner: Learner;
  /** The pretrained model under its adapter, if there is one. */
  readonly #base: KeptBase | null;

  private constructor(agent: Agent, updater: Updater, learner: Learner, base: KeptBase | null) {
    this.agent = agent;
    this.updater = updater;
    this.learner = learner;
    this.#base = base;
  }

  /** @throws {InitialAgentError} if given weights have another shape or vocabulary */
  static async create(parts: StudentParts): Promise<Student> {
    const { config, environment, tokenizer, streams, createPolicy, initial, model } = parts;
    const shape = model ? pretrainedShape(model, config) : policyShape(config, tokenizer.size);
    if (initial !== undefined) checkInitialAgent(initial, shape, tokenizer.tokens);
    const capacity = policyCapacity(config, shape, environment.turnLimit);
    const policy = await createPolicy(shape, capacity, streams.init.seed(), model?.weights);
    if (model?.initial) policy.writeWeights(withValueHead(model.initial, shape));
    if (initial !== undefined) policy.writeWeights(withValueHead(initial.weights, shape));
    const agent = agentFor(config, policy, tokenizer, streams.sampling.seed());
    const updater = new Updater(policy, config.optimizer);
    const longest = Math.min(longestHorizon(config.horizon), environment.turnLimit);
    const learner = new Learner(policy, updater, streams, longest);
    const base = model && { ...model.identity, adapter: model.shape.adapter };
    return new Student(agent, updater, learner, base);
  }

  /** The same student playing under another config; weights and moments are shared, not copied. */
  inRole(config: Config, seed: number): Student {
    const { policy, tokenizer } = this.agent;
    const agent = agentFor(config, policy, tokenizer, seed);
    return new Student(agent, this.updater, this.learner, this.#base);
  }

  state(): StudentState {
    return { updates: this.learner.updates, skipped: this.updater.skipped };
  }

  /** The agent with the state needed to continue its training. */
  async keep(): Promise<KeptStudent> {
    const { policy, tokenizer } = this.agent;
    const { weights, ...training } = await policy.readState();
    // The tokenizer of a pretrained model stays with the model.
    const own = { vocabulary: tokenizer.tokens, bpe: tokenizer.bpe, base: null };
    return {
      ...(this.#base ? { vocabulary: [], bpe: null, base: this.#base } : own),
      weights,
      training: { ...training, device: policy.device },
    };
  }

  /**
   * Restores a saved student.
   *
   * @throws {CheckpointError} for one with another vocabulary or pretrained model, or without
   *   training state
   * @throws {WeightsError} if the tensors do not fit its policy
   */
  restore({ vocabulary, base, weights, training }: KeptStudent, state: StudentState): void {
    const { policy, tokenizer } = this.agent;
    checkSameBase(base, this.#base);
    if (!base && vocabulary.join('\n') !== tokenizer.tokens.join('\n')) {
      throw new CheckpointError(
        'its vocabulary differs from its environment’s in this version of Palestra, so it can play but not continue training',
      );
    }
    if (training === null) {
      throw new CheckpointError(
        'it holds an agent without training state, so it can play but not continue training',
      );
    }
    policy.writeState({ weights, ...training });
    this.updater.restore(state.skipped);
    this.learner.restore(state.updates);
  }

  /**
   * Restarts reinforcement learning from the current weights, with fresh moments and a new warm-up.
   */
  restart(): void {
    this.agent.policy.restartOptimizer();
    this.learner.restore(0);
  }

  /** Saves the current weights in the reference's slot, for `restoreStart`. */
  keepStart(): void {
    this.agent.policy.keepReference();
  }

  /** Restores the weights saved last, with a fresh optimizer. */
  async restoreStart(): Promise<void> {
    const { policy } = this.agent;
    const { reference } = await policy.readState();
    if (reference === null) throw new TypeError('no weights were saved to restart from');
    policy.writeWeights(reference);
    policy.restartOptimizer();
  }

  /** Frees the policy's memory. */
  destroy(): void {
    this.agent.policy.destroy();
  }
}
