/** Derives the settings of a run from measurements of its environment, which has no preset. */

import { parseConfig } from '../../../config/check.ts';
import { presetConfig } from '../../../config/presets.ts';
import type { Config } from '../../../config/schema.ts';
import type { EnvironmentRef } from '../../../runs/episode.ts';

/** Base settings; the rest depends on the measurements. */
export const PRESET = 'maze';

const MOST_TASKS = 32;
const EPISODES = 256;
const LEAST_CONTEXT = 32;
/** The context length grows in steps, so that small changes to the environment do not change the settings. */
const CONTEXT_STEP = 16;
/** Tokens that frame an observation and its action. */
const FRAME = 4;
/** Largest context length, in tokens. */
const MOST_CONTEXT = 4096;

export interface TrainingFacts {
  readonly turns: number;
  readonly tasks: number;
  /** Tokens of the longest observation and the longest action. */
  readonly observationTokens: number;
  readonly actionTokens: number;
}

/**
 * @throws {ConfigError} for an environment that needs more context than an agent can have
 */
export function trainingConfig(
  { id, options }: EnvironmentRef,
  facts: TrainingFacts,
  seed?: number,
): Config {
  const base = presetConfig(PRESET);
  const tasks = Math.min(MOST_TASKS, facts.tasks);
  // An action of one token needs no end token.
  const actionTokens = facts.actionTokens === 1 ? 1 : facts.actionTokens + 1;
  const needed = facts.observationTokens + actionTokens + FRAME;
  const context = Math.max(LEAST_CONTEXT, Math.ceil(needed / CONTEXT_STEP) * CONTEXT_STEP);
  return parseConfig({
    ...base,
    ...(seed === undefined ? {} : { seed }),
    env: { ...base.env, id, options },
    agent: {
      ...base.agent,
      context_length: Math.min(MOST_CONTEXT, context),
      max_action_tokens: actionTokens,
    },
    rollout: {
      ...base.rollout,
      tasks_per_iteration: tasks,
      group_size: Math.max(4, Math.round(EPISODES / tasks)),
    },
    horizon: { ...base.horizon, schedule: 'fixed', turns: facts.turns },
    stopping: { ...base.stopping, iterations: 200, success: 0.99 },
  });
}
