import { create } from 'zustand';
import { ConfigError } from '../../../config/error.ts';
import { findMethod, type MethodForm, methodSet } from '../../../config/methods.ts';
import { textOf } from '../../../config/panel-fields.ts';
import type { Config } from '../../../config/schema.ts';
import { setConfigValues } from '../../../config/text.ts';
import { whenForgotten } from '../browser/kept.ts';
import { closePanel } from '../page/panels.ts';

/** Unapplied edits: text as typed, by path. */
interface SettingsState {
  readonly edits: Readonly<Record<string, string>>;
}

export const useSettings = create<SettingsState>()(() => ({
  edits: {},
}));

whenForgotten(() => {
  closePanel('settings');
  discardEdits();
});

export function discardEdits(): void {
  useSettings.setState({ edits: {} });
}

/** Sets an edit; the current run's value removes it. */
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

/** Sets a method's settings as edits. */
export function chooseMethod(config: Config, name: string, form: MethodForm = 'adapted'): void {
  for (const [path, text] of methodSet(findMethod(name), form)) edit(config, path, text);
}

/** The current config in the edited environment, with its default options. */
export function inChosen(config: Config, edits: Readonly<Record<string, string>>): Config {
  const id = edits['env.id'];
  return id === undefined ? config : { ...config, env: { ...config.env, id, options: {} } };
}

export interface Draft {
  /** The config with all edits, or null if one is invalid. */
  readonly config: Config | null;
  /** The config with the valid edits. */
  readonly readable: Config;
  /** Errors by path; `''` for the whole config. */
  readonly errors: Readonly<Record<string, string>>;
}

/** Applies the edits to the config and collects all errors. */
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
      // Drop the invalid edit and look for further errors.
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
