/** What a run would take, told before anything of it is made. */

import { criticises } from '../config/recipes.ts';
import type { Config } from '../config/schema.ts';
import { environmentFor } from '../envs/registry.ts';
import { policySize } from '../policy/size.ts';
import { WordTokenizer } from '../policy/tokenizer.ts';
import { episodesAtOnce, policyCapacity } from './capacity.ts';
import { longestHorizon } from './horizon.ts';
import { runLexicon } from './lexicon.ts';
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
  const {
    recipe,
    horizon,
    self_improvement,
    critique,
    agent,
    algorithm,
    preference,
    evolution,
    imitation,
  } = config;
  const environment = environmentFor(config.env);
  const { size } = new WordTokenizer(runLexicon(config, environment));
  const shape = policyShape(config, size);
  const capacity = policyCapacity(config, shape, environment.turnLimit);
  const evolves = recipe === 'evolution';
  const twoPlayers = criticises(config);
  const improves = recipe === 'self_improvement';
  const reference = evolves || algorithm.kl_coef > 0 || preference.epochs > 0;
  const { parameters, bytes, largest, work } = policySize(shape, capacity, reference);
  const critic = twoPlayers && critique.agents === 'two' ? policySize(shape, capacity, true) : null;
  const turns = Math.min(longestHorizon(horizon), environment.turnLimit);
  const played = improves
    ? self_improvement.questions * self_improvement.answers
    : episodesAtOnce(config);
  const taught = improves ? imitation.most_tasks + critique.refinements : 0;
  // Evolution learns a whole round at once, together with the expert's dialogues.
  const learned = evolves
    ? evolution.tasks * evolution.samples + imitation.most_tasks
    : played + taught;
  const epochs = evolves ? evolution.epochs : improves ? self_improvement.epochs : algorithm.epochs;
  const perEpisode = turns * agent.context_length;
  // A critique comes with an answer and a refinement.
  const spoken = twoPlayers ? 3 * played : played;
  const tokens = Math.max(spoken, learned) * perEpisode;
  // A forward pass to play; to learn, forward and backward, which is twice as much, in each epoch.
  const passes = (spoken + 3 * epochs * learned) * perEpisode;
  return {
    parameters: parameters + (critic?.parameters ?? 0),
    bytes: bytes + (critic?.bytes ?? 0),
    largest,
    tokens,
    operations: 2 * work * passes,
  };
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
