import { create } from 'zustand';
import { environmentFamilies } from '../envs/registry.ts';
import {
  type Config,
  ConfigError,
  type ConfigField,
  type ConfigValue,
  describeConfig,
  getConfigValue,
  setConfigValues,
} from '../runs/config.ts';
import { findMethod } from '../runs/methods.ts';

/** Edits that have not been applied: text by path, as it was typed. */
export interface SettingsState {
  readonly open: boolean;
  /** Opened at least once. */
  readonly wanted: boolean;
  readonly edits: Readonly<Record<string, string>>;
}

export const useSettings = create<SettingsState>()(() => ({
  open: false,
  wanted: false,
  edits: {},
}));

export function openSettings(open: boolean): void {
  useSettings.setState(open ? { open, wanted: true } : { open });
}

export function discardEdits(): void {
  useSettings.setState({ edits: {} });
}

/** A value as an input box shows it and `setConfigValue` reads it. */
export function asText(value: ConfigValue): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Enters an edit; typing a field's present value again takes its edit back. */
export function edit(config: Config, path: string, text: string): void {
  useSettings.setState(({ edits }) => {
    const next = { ...edits };
    if (text === textOf(config, path)) delete next[path];
    else next[path] = text;
    if (path === 'env.id') {
      // Another environment has other options.
      for (const key of Object.keys(next)) if (key.startsWith('env.options')) delete next[key];
    }
    return { edits: next };
  });
}

/** Enters a method's settings as edits. */
export function chooseMethod(config: Config, name: string): void {
  for (const [path, text] of findMethod(name).set) edit(config, path, text);
}

const optionPrefix = 'env.options.';

/** A field's present value as text, the options of the environment included. */
export function textOf(config: Config, path: string): string {
  if (!path.startsWith(optionPrefix)) return asText(getConfigValue(config, path));
  const name = path.slice(optionPrefix.length);
  const family = environmentFamilies.find(({ id }) => id === config.env.id);
  return String(config.env.options[name] ?? family?.options[name]?.default ?? '');
}

/** All fields of the panel: those of the schema, with the chosen environment's options in place. */
export function panelFields(environmentId: string): readonly ConfigField[] {
  const family = environmentFamilies.find(({ id }) => id === environmentId);
  return describeConfig().flatMap((field): readonly ConfigField[] => {
    if (field.path === 'env.id') {
      return [{ ...field, type: 'choice', choices: environmentFamilies.map(({ id }) => id) }];
    }
    if (field.path !== 'env.options') return [field];
    return Object.entries(family?.options ?? {}).map(([name, option]) => ({
      path: `${optionPrefix}${name}`,
      section: 'env',
      title: name.charAt(0).toUpperCase() + name.slice(1),
      description: option.description,
      type: 'integer',
      min: option.min,
      max: option.max,
      step: option.step,
      default: option.default,
    }));
  });
}

export interface Draft {
  /** The config with all edits, or null while one of them is not valid. */
  readonly config: Config | null;
  /** The config with the edits that are valid. */
  readonly readable: Config;
  /** What is wrong, by path; `''` for the config as a whole. */
  readonly errors: Readonly<Record<string, string>>;
}

/** Reads the edits into a config and names every value that cannot be used. */
export function draft(config: Config, edits: Readonly<Record<string, string>>): Draft {
  const errors: Record<string, string> = {};
  let assignments = Object.entries(edits);
  const base = edits['env.id'] === undefined ? config : withoutOptions(config);
  for (;;) {
    try {
      const next = setConfigValues(base, assignments);
      return { config: Object.keys(errors).length === 0 ? next : null, readable: next, errors };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const culprit = error.path;
      const text = error.message.replace(`${culprit}: `, '');
      errors[culprit] ??= text;
      // Leave the culprit out and look for the next one.
      const rest = assignments.filter(
        ([path]) => path !== culprit && !culprit.startsWith(`${path}.`),
      );
      if (rest.length === assignments.length) return { config: null, readable: config, errors };
      assignments = rest;
    }
  }
}

function withoutOptions(config: Config): Config {
  return { ...config, env: { ...config.env, options: {} } };
}

/** The message for a field, or for an element of its list. */
export function errorOf(
  errors: Readonly<Record<string, string>>,
  path: string,
): string | undefined {
  const found = Object.entries(errors).find(([key]) => key === path || key.startsWith(`${path}.`));
  return found?.[1];
}
