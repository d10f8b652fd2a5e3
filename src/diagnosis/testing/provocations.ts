/** Runs that are made to fail, one cause each, runs that are sound, and what diagnosis has to say of them. */

import { describeConfig, getConfigValue } from '../../config/fields.ts';
import { findMethod, methodSet } from '../../config/methods.ts';
import { presetConfig } from '../../config/presets.ts';
import type { Config, ConfigValue } from '../../config/schema.ts';
import { setConfigValues } from '../../config/text.ts';
import type { ModeName } from '../finding.ts';

export interface Provocation {
  readonly name: string;
  /** Maze where absent. */
  readonly preset?: string;
  readonly method?: 'grpo';
  /** What is set on top of the preset, as `--set` takes it. */
  readonly set: readonly (readonly [path: string, value: string])[];
  readonly updates: number;
  /** What is to blame; null where nothing is. */
  readonly mode: ModeName | null;
  /** Iteration by which a person who reads the rows of seed 1 could know it. */
  readonly by: number;
}

const set = (path: string, value: string) => [path, value] as const;

export const provocations: readonly Provocation[] = [
  { name: 'untouched', set: [], updates: 200, mode: null, by: 0 },
  // Past the end that the preset has: nothing fails then either.
  { name: 'untouched-long', set: [set('stopping.success', '0')], updates: 120, mode: null, by: 0 },
  {
    name: 'learning-rate-0.02',
    set: [set('optimizer.learning_rate', '0.02')],
    updates: 30,
    mode: 'learning_rate_too_high',
    by: 2,
  },
  {
    name: 'learning-rate-0.005',
    set: [set('optimizer.learning_rate', '0.005')],
    updates: 45,
    mode: 'learning_rate_too_high',
    by: 3,
  },
  {
    name: 'learning-rate-5e-6',
    set: [set('optimizer.learning_rate', '0.000005')],
    updates: 12,
    mode: 'nothing_moves',
    by: 5,
  },
  {
    name: 'gamma-1',
    set: [set('algorithm.gamma', '1')],
    updates: 55,
    mode: 'bootstrapping_at_horizon',
    by: 28,
  },
  {
    name: 'entropy-0.3',
    set: [set('algorithm.entropy_coef', '0.3')],
    updates: 35,
    mode: 'entropy_bonus_too_strong',
    by: 5,
  },
  {
    name: 'kl-1',
    set: [set('algorithm.kl_coef', '1')],
    updates: 35,
    mode: 'reference_too_tight',
    by: 12,
  },
  {
    name: 'bounds-wide',
    set: [set('algorithm.clip_low', '0'), set('algorithm.clip_high', '10')],
    updates: 35,
    mode: 'no_step_bound',
    by: 8,
  },
  {
    name: 'bounds-tight',
    set: [set('algorithm.clip_low', '0.99'), set('algorithm.clip_high', '1.01')],
    updates: 20,
    mode: 'bounds_too_tight',
    by: 3,
  },
  {
    name: 'horizon-2',
    set: [set('horizon.schedule', 'fixed'), set('horizon.turns', '2')],
    updates: 25,
    mode: 'horizon_too_short',
    by: 15,
  },
  {
    name: 'value-0',
    set: [set('algorithm.value_coef', '0')],
    updates: 15,
    mode: 'value_head_untrained',
    by: 5,
  },
  {
    name: 'grpo-pairs',
    method: 'grpo',
    set: [set('rollout.group_size', '2')],
    updates: 15,
    mode: 'groups_agree',
    by: 3,
  },
  {
    name: 'epochs-32',
    set: [set('algorithm.epochs', '32')],
    updates: 5,
    mode: 'too_many_epochs',
    by: 4,
  },
  ...[
    'wordle',
    'textcraft',
    'babyai-goto-red-ball',
    'maze-partial',
    'maze-generated',
    'searchqa',
  ].map((preset) => ({ name: preset, preset, set: [], updates: 15, mode: null, by: 0 })),
];

export function findProvocation(name: string): Provocation {
  const found = provocations.find((one) => one.name === name);
  if (found === undefined) throw new Error(`No provocation is called ${name}.`);
  return found;
}

export function configOf(
  { preset = 'maze', method, set: values, updates }: Provocation,
  seed: number,
): Config {
  return setConfigValues(presetConfig(preset), [
    ...(method === undefined ? [] : methodSet(findMethod(method), 'adapted')),
    ['seed', String(seed)],
    ['stopping.iterations', String(updates)],
    ...values,
  ]);
}

/** What makes the rows of a provocation. */
export function commandOf(
  { preset = 'maze', method, set: values, updates }: Provocation,
  seed: number,
): string {
  return [
    `npm run --silent train -- --preset ${preset}`,
    ...(method === undefined ? [] : [`--method ${method}`]),
    `--seed ${seed} --updates ${updates}`,
    ...values.map(([path, value]) => `--set ${path}=${value}`),
    '--device processor --threads 1 --json',
  ].join(' ');
}

/** The fields of a config that are not as they are by default: a field that is new changes none of them. */
export function settingsOf(config: Config): Readonly<Record<string, ConfigValue>> {
  return Object.fromEntries(
    describeConfig().flatMap((field) => {
      const value = getConfigValue(config, field.path);
      const same = JSON.stringify(value) === JSON.stringify(field.default);
      return same ? [] : [[field.path, value] as const];
    }),
  );
}
