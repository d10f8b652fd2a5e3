/**
 * Reads settings from an untrusted source or another version: a link, a stored run, a file. Valid
 * values are used, values out of bounds are moved to the nearest bound, all other fields have their
 * defaults. Every value that was changed or ignored is reported.
 */

import { parseConfig } from './check.ts';
import { asJson, ConfigError } from './error.ts';
import { allowed, describeConfig, getConfigValue } from './fields.ts';
import type { Assignment } from './methods.ts';
import { didYouMean } from './nearest.ts';
import { type PanelField, panelFields, textOf } from './panel-fields.ts';
import { defaultPreset, isPreset, presetNames } from './preset-names.ts';
import type { Config, ConfigInput, ConfigValue } from './schema.ts';
import { asText, setConfigValues } from './text.ts';

export interface SettledConfig {
  readonly config: Config;
  /** One sentence per value that was changed or ignored. */
  readonly notes: readonly string[];
}

/**
 * A config from another version or an untrusted source. Missing fields get their defaults, as
 * before the setting existed.
 * @param where the source, as worded in a note: `in this stored run`
 */
export function settleConfig(value: unknown, where: string): SettledConfig {
  try {
    return { config: parseConfig(value), notes: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
  }
  if (!isRecord(value)) {
    const note = `The settings ${where} cannot be read at all, so the defaults are used.`;
    return { config: parseConfig({}), notes: [note] };
  }
  return settleValues({}, assignmentsOf(value), where);
}

/** The preset of this name; if there is none, the default preset and a note. */
export function settlePreset(
  name: string,
  where: string,
): { readonly preset: string; readonly notes: readonly string[] } {
  if (isPreset(name)) return { preset: name, notes: [] };
  const note = `Unknown preset ${quoted(name)} ${where}; ${defaultPreset} is used.${didYouMean(name, presetNames)}`;
  return { preset: defaultPreset, notes: [note] };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Number of parts in the longest path, `env.options.NAME`. */
const DEEPEST = 3;

/** Every value in a config with its path, including single environment options. */
function assignmentsOf(config: Readonly<Record<string, unknown>>): Assignment[] {
  const whole = new Set(describeConfig().map(({ path }) => path));
  const inside = (keys: readonly string[], value: unknown): Assignment[] => {
    const path = keys.join('.');
    const isWhole = keys.length === DEEPEST || (whole.has(path) && path !== 'env.options');
    return isRecord(value) && !isWhole
      ? Object.entries(value).flatMap(([key, one]) => inside([...keys, key], one))
      : [[path, written(value)]];
  };
  return inside([], config);
}

/** A value of any type as text for `setConfigValue`. */
function written(value: unknown): string {
  const isPlain =
    typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean';
  if (isPlain) return asText(value);
  const isNumbers = Array.isArray(value) && value.every((one) => typeof one === 'number');
  return isNumbers ? asText(value) : asJson(value);
}

/**
 * Sets fields of a valid config; for several values of one field, the last counts.
 * @param where the source of the values, as worded in a note: `in the address`
 */
export function settleValues(
  base: ConfigInput,
  asked: readonly Assignment[],
  where: string,
): SettledConfig {
  const values = [...new Map(asked)];
  if (values.length === 0) return { config: parseConfig(base), notes: [] };
  const start = inAddressed(parseConfig(base), values);
  // One note per field, the last one.
  const notes = new Map<string, string>();
  // Fast path: nearly every link was written by the lab.
  const whole = attempt(start, values);
  if (!(whole instanceof ConfigError)) return { config: whole, notes: [] };

  const fields = new Map(
    [...describeConfig(), ...panelFields(start.env.id)].map((field) => [field.path, field]),
  );
  const readable = values.flatMap(([path, text]): readonly Assignment[] => {
    const { text: usable, note } = readValue(start, fields.get(path), [path, text], where);
    if (note !== null) notes.set(path, note);
    return usable === null ? [] : [[path, usable]];
  });
  const { config, dropped } = together(start, readable);
  for (const [[path, text], { message }] of dropped) {
    const written = values.find(([other]) => other === path)?.[1] ?? text;
    const used = fallback(start, path);
    notes.delete(path);
    notes.set(
      path,
      written === text
        ? `${path} was ${quoted(written)} ${where}, but this value conflicts with other settings (${message}); ${used} is used.`
        : `${path} was ${quoted(written)} ${where}; the nearest valid value, ${shortly(text)}, conflicts with other settings (${message}); ${used} is used.`,
    );
  }
  return { config, notes: [...notes.values()] };
}

/**
 * The base in the environment that the values name. If it is another environment, it has other
 * options, so those of the base are dropped.
 */
function inAddressed(base: Config, values: readonly Assignment[]): Config {
  const id = values.find(([path]) => path === 'env.id')?.[1];
  if (id === undefined || id === base.env.id) return base;
  const elsewhere = attempt({ ...base, env: { ...base.env, options: {} } }, [['env.id', id]]);
  return elsewhere instanceof ConfigError ? base : elsewhere;
}

function attempt(config: Config, values: readonly Assignment[]): Config | ConfigError {
  try {
    return setConfigValues(config, values);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

interface ReadValue {
  /** Null for an unusable value. */
  readonly text: string | null;
  readonly note: string | null;
}

/** Checks one value on its own, independent of the others. */
function readValue(
  start: Config,
  field: PanelField | undefined,
  [path, text]: Assignment,
  where: string,
): ReadValue {
  if (field === undefined) {
    return { text: null, note: `${quoted(path)} is not a setting, so it is ignored.` };
  }
  const useless = (why: string): ReadValue => ({
    text: null,
    note: `${path} was ${quoted(text)} ${where}, but must be ${why}; ${fallback(start, path)} is used.`,
  });
  switch (field.type) {
    case 'number':
    case 'integer': {
      const asked = numberOf(text);
      if (Number.isNaN(asked)) return useless(allowed(field));
      const value = nearest(field, asked);
      if (value === asked) return { text, note: null };
      return {
        text: String(value),
        note: `${path} was ${quoted(text)} ${where}; ${bound(field, asked)}, so ${value} is used.`,
      };
    }
    case 'integers': {
      const asked = text
        .trim()
        .replace(/^\[(.*)\]$/, '$1')
        .split(',')
        .map(numberOf);
      if (asked.some(Number.isNaN)) return useless(allowed(field));
      const list = asked.slice(0, MOST_NUMBERS).map((value) => nearest(field, value));
      const written = list.join(', ');
      return {
        text: written,
        note:
          written === asked.join(', ')
            ? null
            : `${path} was ${quoted(text)} ${where}, but must be ${allowed(field)}; ${shortly(written)} is used.`,
      };
    }
    case 'choice':
      return field.choices?.includes(text) ? { text, note: null } : useless(allowed(field));
    case 'boolean':
    case 'text':
    case 'options':
    case 'mixture': {
      const alone = attempt(start, [[path, text]]);
      if (!(alone instanceof ConfigError)) return { text, note: null };
      const at = alone.path;
      // Only errors of the value itself; conflicts are checked later.
      if (at !== path && !at.startsWith(`${path}.`)) return { text, note: null };
      const why = alone.message.replace(`${path}: `, '').replace(/, got .*$/, '');
      return {
        text: null,
        note: `${path} was ${quoted(text)} ${where}, but this value cannot be used (${why}); ${fallback(start, path)} is used.`,
      };
    }
    default:
      return field.type satisfies never;
  }
}

/** Maximum length of a list of numbers. */
const MOST_NUMBERS = 32;

/** NaN for a text that is not a number; `Infinity` is a number and is moved to a bound. */
function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/** The nearest valid value of a field. */
function nearest(
  { min = -Infinity, max = Infinity, step, type, option }: PanelField,
  asked: number,
) {
  const within = Math.min(max, Math.max(min, asked));
  // An option counts its steps from its minimum, a field of the schema from 0.
  const from = option === undefined ? 0 : min;
  if (step === undefined || (option === undefined && type === 'number')) return within;
  const steps = Math.round((within - from) / step);
  return Math.min(max, Math.max(min, from + steps * step));
}

/** Why the requested value is not valid. */
function bound(field: PanelField, asked: number): string {
  const { min, max, step = 1 } = field;
  if (max !== undefined && asked > max) return `the maximum is ${max}`;
  if (min !== undefined && asked < min) return `the minimum is ${min}`;
  return step === 1 ? 'only whole numbers are possible' : `values are in steps of ${step}`;
}

interface Combined {
  readonly config: Config;
  readonly dropped: readonly (readonly [Assignment, ConfigError])[];
}

/** A maximal consistent subset of individually valid values, preferring the first ones. */
function together(start: Config, values: readonly Assignment[]): Combined {
  const whole = attempt(start, values);
  if (!(whole instanceof ConfigError)) return { config: whole, dropped: [] };
  let config = start;
  let left = values;
  // A value may become valid only once a later one is set, hence the second round.
  for (let round = 0; round < 2; round++) {
    const refused: Assignment[] = [];
    for (const value of left) {
      const next = attempt(config, [value]);
      if (next instanceof ConfigError) refused.push(value);
      else config = next;
    }
    left = refused;
  }
  const dropped = left.flatMap((value): Combined['dropped'] => {
    const error = attempt(config, [value]);
    return error instanceof ConfigError ? [[value, error]] : [];
  });
  return { config, dropped };
}

/** The replacement of an unusable value, in words. */
function fallback(start: Config, path: string): string {
  const value = path.startsWith('env.options.')
    ? textOf(start, path)
    : asText(getConfigValue(start, path) satisfies ConfigValue);
  return value === '' || value === '[]' ? 'none' : shortly(value);
}

/** A value in a sentence: numbers unquoted, everything else in quotation marks. */
export function quoted(text: string): string {
  return text.length <= 20 && Number.isFinite(numberOf(text)) ? text.trim() : `“${shortly(text)}”`;
}

function shortly(text: string): string {
  return text.length > 40 ? `${[...text.slice(0, 40)].slice(0, -1).join('')}…` : text;
}
