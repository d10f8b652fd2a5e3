/** The fields of a settings panel, including the options of the chosen environment. */

import { familyCard } from '../envs/registry.ts';
import type { EnvironmentOption } from '../envs/types.ts';
import { type ConfigField, describeConfig, getConfigValue } from './fields.ts';
import type { Config } from './schema.ts';
import { asText } from './text.ts';

const optionPrefix = 'env.options.';

/** A field's current value as text, including environment options. */
export function textOf(config: Config, path: string): string {
  if (!path.startsWith(optionPrefix)) return asText(getConfigValue(config, path));
  const name = path.slice(optionPrefix.length);
  const family = familyCard(config.env.id);
  return String(config.env.options[name] ?? family?.options[name]?.default ?? '');
}

/** A field of the panel; `option` is set if it is an option of the environment. */
export interface PanelField extends ConfigField {
  readonly option?: EnvironmentOption;
}

/** All fields of the panel: the schema's, with the chosen environment's options for `env.options`. */
export function panelFields(environmentId: string): readonly PanelField[] {
  const fields = describeConfig().flatMap((field) =>
    field.path === 'env.options' ? optionFields(environmentId, 'env') : [field],
  );
  // The choice between one environment and a mixture comes before the choice of environment.
  const first = (type: ConfigField['type']) => (type === 'mixture' ? 0 : 1);
  return fields.sort((a, b) => first(a.type) - first(b.type));
}

/** The options of an environment as fields at `<at>.options.<name>`. */
export function optionFields(environmentId: string, at: string): readonly PanelField[] {
  const family = familyCard(environmentId);
  return Object.entries(family?.options ?? {}).map(([name, option]) => ({
    path: `${at}.options.${name}`,
    section: 'env',
    title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll('_', ' '),
    description: option.description,
    default: option.default,
    option,
    ...bounds(option),
  }));
}

function bounds(option: EnvironmentOption): Pick<ConfigField, 'type'> & Partial<ConfigField> {
  if (option.type === 'choice') return { type: 'choice', choices: option.choices };
  if (option.type === 'text') return { type: 'text' };
  const { min, max, step } = option;
  const whole = Number.isInteger(min) && Number.isInteger(step);
  return { type: whole ? 'integer' : 'number', min, max, step };
}
