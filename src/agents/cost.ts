/** Estimates the cost of a run before anything is created. */

import { criticizes } from '../config/recipes.ts';
import { isExact } from '../config/sampler.ts';
import type { Config } from '../config/schema.ts';
import { environmentFor } from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import { policySize } from '../policy/size.ts';
import { WordTokenizer } from '../policy/tokenizer.ts';
import type { PolicyShape } from '../policy/types.ts';
import { policyCapacity } from './capacity.ts';
import { longestHorizon } from './horizon.ts';
import { runLexicon } from './lexicon.ts';
import { recipeSizes } from './recipe-sizes.ts';
import { policyShape } from './shape.ts';

/** The cost of a run. */
export interface RunCost {
  /** Number of trainable parameters. */
  readonly parameters: number;
  /** GPU memory. */
  readonly bytes: number;
  /** Size of the largest tensor, which must fit into a single buffer binding. */
  readonly largest: number;
  /**
   * Upper bound on the tokens per iteration; episodes with equal contexts share them, so
   * the actual number may be lower.
   */
  readonly tokens: number;
  /** Upper bound on the floating-point operations per iteration. */
  readonly operations: number;
}

/**
 * The shape of a policy with a word-level vocabulary. Phrases are not counted: listing them takes seconds and
 * changes little.
 */
function ownShape(config: Config, environment: Environment): PolicyShape {
  return policyShape(config, new WordTokenizer(runLexicon(config, environment)).size);
}

/**
 * Estimates a run. Memory is counted tensor by tensor; tokens and operations are upper bounds,
 * assuming that every episode reaches the horizon and every turn fills the context.
 * @param pretrained shape of a pretrained model with its adapter
 */
export function runCost(config: Config, pretrained?: PolicyShape): RunCost {
  const { recipe, horizon, critique, agent, algorithm, preference } = config;
  const sizes = recipeSizes[recipe];
  const environment = environmentFor(config.env);
  const shape = pretrained ?? ownShape(config, environment);
  const capacity = policyCapacity(config, shape, environment.turnLimit);
  const twoPlayers = criticizes(config);
  const reference = sizes.reference === true || algorithm.kl_coef > 0 || preference.epochs > 0;
  const { parameters, bytes, largest, work } = policySize(shape, capacity, reference);
  const critic = twoPlayers && critique.agents === 'two' ? policySize(shape, capacity, true) : null;
  // A separate sampler is another policy.
  const copies = isExact(config.sampler) ? 1 : 2;
  const turns = Math.min(longestHorizon(horizon), environment.turnLimit);
  const played = (sizes.played ?? sizes.atOnce)(config);
  const learned = sizes.learned?.(config) ?? played;
  const epochs = sizes.epochs(config);
  const perEpisode = turns * agent.context_length;
  // A critique implies an answer and a refinement.
  const spoken = twoPlayers ? 3 * played : played;
  const tokens = Math.max(spoken, learned) * perEpisode;
  // Playing takes a forward pass; each training epoch a forward and a backward pass, which cost
  // three times as much.
  const passes = (spoken + 3 * epochs * learned) * perEpisode;
  return {
    parameters: parameters + (critic?.parameters ?? 0),
    bytes: copies * (bytes + (critic?.bytes ?? 0)),
    largest,
    tokens,
    operations: 2 * work * passes,
  };
}

/** Above this cost, a link starts a run only after the user confirms. Presets stay far below. */
export const askAbove = {
  parameters: 10_000_000,
  bytes: 2 ** 30,
  operations: 2e13,
} as const;

/** Whether a run is so large that the user is asked before it starts. */
export function isLarge(cost: RunCost): boolean {
  return (
    cost.parameters > askAbove.parameters ||
    cost.bytes > askAbove.bytes ||
    cost.operations > askAbove.operations
  );
}
