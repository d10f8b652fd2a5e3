/** What a run would take, told before anything of it is made. */

import type { Config } from '../config/schema.ts';
import { environmentFor } from '../envs/registry.ts';
import { policySize } from '../policy/size.ts';
import { WordTokenizer } from '../policy/tokenizer.ts';
import { policyCapacity } from './capacity.ts';
import { dialogueLexicon } from './format.ts';
import { policyShape } from './shape.ts';

/** The cost of a run from random weights. */
export interface RunCost {
  /** Trainable numbers. */
  readonly parameters: number;
  /** GPU memory. */
  readonly bytes: number;
  /** Of the largest piece of it, which the adapter has to bind at once. */
  readonly largest: number;
  /** Tokens that an iteration reads and learns from, at most: episodes that are alike share theirs. */
  readonly tokens: number;
  /** Floating-point operations of an iteration, at most. */
  readonly operations: number;
}

/**
 * Estimates a run. Memory is counted tensor by tensor; tokens and operations are upper bounds, as if every
 * episode went to the horizon and every turn filled the context.
 */
export function runCost(config: Config): RunCost {
  const { rollout, horizon, agent, algorithm, preference } = config;
  const environment = environmentFor(config.env);
  const { size } = new WordTokenizer(dialogueLexicon(environment, agent.format));
  const shape = policyShape(config, size);
  const capacity = policyCapacity(config, shape, environment.turnLimit);
  const reference = algorithm.kl_coef > 0 || preference.epochs > 0;
  const { parameters, bytes, largest, work } = policySize(shape, capacity, reference);
  const longest = horizon.schedule === 'fixed' ? horizon.turns : Math.max(...horizon.rounds);
  const turns = Math.min(longest, environment.turnLimit);
  const episodes = rollout.tasks_per_iteration * rollout.group_size;
  const tokens = episodes * turns * agent.context_length;
  // A forward pass to play; to learn, forward and backward, which is twice as much, in each epoch.
  const passes = 1 + 3 * algorithm.epochs;
  return { parameters, bytes, largest, tokens, operations: 2 * work * tokens * passes };
}

/** From here on a run is not started by an address alone. Every preset stays far below. */
export const askAbove = {
  parameters: 10_000_000,
  bytes: 2 ** 30,
  operations: 2e13,
} as const;

/** Whether a run is so large that whoever opens it is asked first. */
export function isLarge(cost: RunCost): boolean {
  return (
    cost.parameters > askAbove.parameters ||
    cost.bytes > askAbove.bytes ||
    cost.operations > askAbove.operations
  );
}
