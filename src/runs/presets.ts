import type { Config, ConfigInput } from './config.ts';
import { parseConfig } from './config.ts';

/** A named experiment. */
export interface Preset {
  readonly name: string;
  readonly title: string;
  /** What it shows, in a sentence or two. */
  readonly description: string;
  /** What differs from the defaults. */
  readonly config: ConfigInput;
}

/**
 * Episodes of a maze share most of their contexts, so an update costs little beside a rollout: many
 * updates a rollout save turns. The high upper bound lets rare tokens, as the right ones are at first,
 * grow by half an iteration instead of a fifth. The value head tells good turns of a failed episode
 * from bad ones, and the discount prefers the short way; what else was tried: docs/results/README.md.
 */
const manyUpdates = {
  algorithm: {
    advantage: 'gae',
    gamma: 0.95,
    gae_lambda: 0.95,
    epochs: 4,
    mini_batches: 4,
    clip_high: 1.5,
    entropy_coef: 0.001,
  },
  optimizer: { learning_rate: 0.0015, warmup_updates: 0 },
} satisfies ConfigInput;

/**
 * Every start of the double-T maze in every iteration: with fewer, what one update teaches about the
 * corners of one arm, the next unlearns for the other, and greedy play stays stuck there.
 */
const everyStart = { tasks_per_iteration: 25, group_size: 8 } satisfies ConfigInput['rollout'];

export const presets: readonly Preset[] = [
  {
    name: 'maze',
    title: 'Double-T maze',
    description:
      'The agent reads where it is and where the goal is, and learns the way from every cell of the double-T maze.',
    config: {
      env: { id: 'maze/double-t-v1' },
      rollout: everyStart,
      horizon: { schedule: 'scaling_inter', rounds: [10, 20], interval: 25 },
      ...manyUpdates,
      evaluation: { interval: 5 },
      stopping: { iterations: 120 },
    },
  },
  {
    name: 'maze-partial',
    title: 'Double-T maze, partially observed',
    description:
      'The agent reads only the walls around it and its own last moves, so it has to work out where it is.',
    config: {
      env: { id: 'maze/double-t-partial-v1' },
      rollout: everyStart,
      horizon: { schedule: 'scaling_inter', rounds: [10, 20], interval: 25 },
      ...manyUpdates,
      evaluation: { interval: 5 },
      stopping: { iterations: 200 },
    },
  },
  {
    name: 'maze-stale',
    title: 'BAPO on stale data',
    description:
      'An agent that an expert showed the way from a few starts learns mostly from what earlier versions of itself did. BAPO moves its clip bounds; choose GRPO to see a fixed clip fall behind.',
    config: {
      env: { id: 'maze/double-t-v1' },
      rollout: { tasks_per_iteration: 32, group_size: 8 },
      horizon: { schedule: 'fixed', turns: 20 },
      replay: { share: 0.9, capacity: 8 },
      imitation: { epochs: 60, task_share: 0.3 },
      algorithm: {
        objective: 'bapo',
        dual_clip: 3,
        epochs: 1,
        mini_batches: 8,
        entropy_coef: 0,
      },
      optimizer: { learning_rate: 0.0015, warmup_updates: 0 },
      evaluation: { interval: 2 },
      diagnostics: { interval: 1 },
      stopping: { iterations: 60 },
    },
  },
  {
    name: 'maze-generated',
    title: 'Generated 7×7 mazes',
    description:
      'Mazes drawn by a generator, three quarters of their inner walls opened; the evaluation plays mazes that training never showed.',
    config: {
      env: { id: 'maze/generated-v1', options: { size: 7, loops: 75 } },
      // Mazes differ, so an update needs many of them to tell a rule from an accident.
      rollout: { tasks_per_iteration: 64, group_size: 8 },
      horizon: { schedule: 'scaling_inter', rounds: [10, 20], interval: 10 },
      algorithm: { ...manyUpdates.algorithm, entropy_coef: 0 },
      optimizer: manyUpdates.optimizer,
      evaluation: { interval: 5 },
      stopping: { iterations: 120 },
    },
  },
];

/** The preset that the lab opens with. */
export const defaultPreset = 'maze';

/** Thrown for a preset that does not exist. */
export class UnknownPresetError extends Error {
  override readonly name = 'UnknownPresetError';
  constructor(name: string) {
    super(`no preset is called "${name}"; there are ${presets.map((p) => p.name).join(', ')}`);
  }
}

/**
 * The preset with this name.
 *
 * @throws {UnknownPresetError}
 */
export function findPreset(name: string): Preset {
  const found = presets.find((preset) => preset.name === name);
  if (found === undefined) throw new UnknownPresetError(name);
  return found;
}

/** The preset's complete config. */
export function presetConfig(name: string): Config {
  return parseConfig(findPreset(name).config);
}
