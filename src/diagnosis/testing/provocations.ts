/** Runs with one provoked failure each, healthy runs, and the expected diagnosis. */

import { describeConfig, getConfigValue } from '../../config/fields.ts';
import { findMethod, methodSet } from '../../config/methods.ts';
import { presetConfig } from '../../config/presets.ts';
import type { Config, ConfigValue } from '../../config/schema.ts';
import { setConfigValues } from '../../config/text.ts';
import { failures, faults } from '../../runs/failures.ts';
import type { ModeName } from '../finding.ts';

export interface Provocation {
  readonly name: string;
  /** The maze by default. */
  readonly preset?: string;
  readonly method?: 'grpo';
  /** Overrides of the preset, in the syntax of `--set`. */
  readonly set: readonly (readonly [path: string, value: string])[];
  readonly updates: number;
  /** The cause; null for a healthy run. */
  readonly mode: ModeName | null;
  /** Iteration by which a person could identify the cause from the rows of seed 1. */
  readonly by: number;
}

const set = (path: string, value: string) => [path, value] as const;

/** For each recorded failure, the iteration by which a person could identify it. */
const knownBy: Readonly<Record<string, number>> = {
  'learning-rate-0.02': 2,
  'learning-rate-0.005': 3,
  'learning-rate-5e-6': 5,
  'gamma-1': 28,
  'entropy-0.3': 5,
  'kl-1': 12,
  'bounds-wide': 8,
  'bounds-tight': 3,
  'horizon-2': 15,
  'value-0': 5,
  'grpo-pairs': 3,
  'epochs-32': 4,
  'noisy-log-probabilities': 21,
  'failing-episodes': 21,
  'late-rewards': 21,
  'mixed-groups': 21,
  'rewards-times-100': 22,
  'paid-for-form': 26,
};

export const provocations: readonly Provocation[] = [
  { name: 'untouched', set: [], updates: 200, mode: null, by: 0 },
  // Continues past the preset's stop condition: nothing fails later either.
  { name: 'untouched-long', set: [set('stopping.success', '0')], updates: 120, mode: null, by: 0 },
  ...[...failures, ...faults].flatMap((failure) => {
    const by = knownBy[failure.name];
    return by === undefined ? [] : [{ ...failure, by }];
  }),
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

/** The command for the rows of a provocation. */
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

/** The fields of a config that differ from their defaults, so that new fields do not change them. */
export function settingsOf(config: Config): Readonly<Record<string, ConfigValue>> {
  return Object.fromEntries(
    describeConfig().flatMap((field) => {
      const value = getConfigValue(config, field.path);
      const same = JSON.stringify(value) === JSON.stringify(field.default);
      return same ? [] : [[field.path, value] as const];
    }),
  );
}
