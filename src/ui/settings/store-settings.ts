import { create } from 'zustand';
import { ConfigError } from '../../config/error.ts';
import { findMethod, type MethodForm, methodSet } from '../../config/methods.ts';
import { textOf } from '../../config/panel-fields.ts';
import type { Config } from '../../config/schema.ts';
import { setConfigValues } from '../../config/text.ts';
import { whenForgotten } from '../browser/kept.ts';

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

whenForgotten(() => useSettings.setState({ open: false, edits: {} }));

export function discardEdits(): void {
  useSettings.setState({ edits: {} });
}

/** Enters an edit; typing a field's present value again takes its edit back. */
export function edit(config: Config, path: string, text: string): void {
  useSettings.setState(({ edits }) => {
    const next = { ...edits };
    const present = path === 'env.id' ? config : inChosen(config, edits);
    if (text === textOf(present, path)) delete next[path];
    else next[path] = text;
    if (path === 'env.id') {
      // Another environment has other options.
      for (const key of Object.keys(next)) if (key.startsWith('env.options')) delete next[key];
    }
    return { edits: next };
  });
}

/** Enters a method's settings as edits. */
export function chooseMethod(config: Config, name: string, form: MethodForm = 'adapted'): void {
  for (const [path, text] of methodSet(findMethod(name), form)) edit(config, path, text);
}

/** The config of the present run in the environment that the edits choose, with its defaults. */
export function inChosen(config: Config, edits: Readonly<Record<string, string>>): Config {
  const id = edits['env.id'];
  return id === undefined ? config : { ...config, env: { ...config.env, id, options: {} } };
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
  for (;;) {
    try {
      const next = setConfigValues(inChosen(config, edits), assignments);
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

/** The message for a field, or for an element of its list. */
export function errorOf(
  errors: Readonly<Record<string, string>>,
  path: string,
): string | undefined {
  const found = Object.entries(errors).find(([key]) => key === path || key.startsWith(`${path}.`));
  return found?.[1];
}
