import { type Agent, agentFor } from '../agents/agent.ts';
import { policyCapacity } from '../agents/capacity.ts';
import { longestHorizon } from '../agents/horizon.ts';
import { policyShape } from '../agents/shape.ts';
import { checkInitialAgent, type InitialAgent, initialWeights } from '../agents/start.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../envs/types.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { CreatePolicy } from '../policy/types.ts';
import type { KeptStudent } from '../runs/checkpoint.ts';
import { CheckpointError } from '../runs/checkpoint.ts';
import { Learner } from './learn/learner.ts';
import type { SkippedUpdates } from './learn/updates.ts';
import { Updater } from './learn/updates.ts';
import type { RandomStreams } from './random.ts';

/** What a student is made from. */
export interface StudentParts {
  readonly config: Config;
  readonly environment: Environment;
  readonly tokenizer: Tokenizer;
  readonly streams: RandomStreams;
  readonly createPolicy: CreatePolicy;
  /** Its weights, where they are not random. */
  readonly initial?: InitialAgent;
}

/** What of a student goes from one iteration into the next beside its policy's numbers. */
export interface StudentState {
  /** Updates of reinforcement learning; they set the learning rate. */
  readonly updates: number;
  readonly skipped: SkippedUpdates;
}

/** An agent that learns: what it plays with, what asks its policy for updates, and the state of both. */
export class Student {
  readonly agent: Agent;
  /** Single updates, for any loss. */
  readonly updater: Updater;
  /** An iteration's updates of reinforcement learning. */
  readonly learner: Learner;

  private constructor(agent: Agent, updater: Updater, learner: Learner) {
    this.agent = agent;
    this.updater = updater;
    this.learner = learner;
  }

  /** @throws {InitialAgentError} for given weights of another shape or vocabulary. */
  static async create(parts: StudentParts): Promise<Student> {
    const { config, environment, tokenizer, streams, createPolicy, initial } = parts;
    const shape = policyShape(config, tokenizer.size);
    if (initial !== undefined) checkInitialAgent(initial, shape, tokenizer.tokens);
    const capacity = policyCapacity(config, shape, environment.turnLimit);
    const policy = await createPolicy(shape, capacity, streams.init.seed());
    if (initial !== undefined) policy.writeWeights(initialWeights(initial, shape));
    const agent = agentFor(config, policy, tokenizer, streams.sampling.seed());
    const updater = new Updater(policy, config.optimizer);
    const longest = Math.min(longestHorizon(config.horizon), environment.turnLimit);
    return new Student(agent, updater, new Learner(policy, updater, streams, longest));
  }

  /** The same student, whose weights and moments there are once, playing as another config describes it. */
  inRole(config: Config, seed: number): Student {
    const { policy, tokenizer } = this.agent;
    return new Student(agentFor(config, policy, tokenizer, seed), this.updater, this.learner);
  }

  state(): StudentState {
    return { updates: this.learner.updates, skipped: this.updater.skipped };
  }

  /** The agent as it is now, with all that its training takes to go on. */
  async keep(): Promise<KeptStudent> {
    const { policy, tokenizer } = this.agent;
    const { weights, ...training } = await policy.readState();
    return {
      vocabulary: tokenizer.tokens,
      bpe: tokenizer.bpe,
      weights,
      training: { ...training, device: policy.device },
    };
  }

  /**
   * Goes on where one was kept.
   *
   * @throws {CheckpointError} for one of another vocabulary, or without the state of its training.
   * @throws {WeightsError} for tensors that are not its policy's.
   */
  restore({ vocabulary, weights, training }: KeptStudent, state: StudentState): void {
    const { policy, tokenizer } = this.agent;
    if (vocabulary.join('\n') !== tokenizer.tokens.join('\n')) {
      throw new CheckpointError(
        'its vocabulary is not that of its environment in this version of Palestra, so that it can play but not train on',
      );
    }
    if (training === null) {
      throw new CheckpointError(
        'it holds an agent without the state of its training, so that it can play but not train on',
      );
    }
    policy.writeState({ weights, ...training });
    this.updater.restore(state.skipped);
    this.learner.restore(state.updates);
  }

  /** Begins reinforcement learning anew from the present weights: fresh moments, and the warm-up once more. */
  restart(): void {
    this.agent.policy.restartOptimizer();
    this.learner.restore(0);
  }

  /** Keeps the present weights as those that `startAnew` goes back to, in the place of a reference. */
  keepStart(): void {
    this.agent.policy.keepReference();
  }

  /** Goes back to the weights that were kept last, with a fresh optimiser. */
  async startAnew(): Promise<void> {
    const { policy } = this.agent;
    const { reference } = await policy.readState();
    if (reference === null) throw new TypeError('no weights were kept to start from');
    policy.writeWeights(reference);
    policy.restartOptimizer();
  }

  /** Frees the policy's memory. */
  destroy(): void {
    this.agent.policy.destroy();
  }
}
