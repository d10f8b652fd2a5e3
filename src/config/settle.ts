/**
 * Settings that somebody else wrote, or another version of this project: an address, a kept run, a file.
 * What can be used is used, what is out of bounds is moved to the nearest bound, the rest keeps the value
 * that it begins with, and every value that is not used as it was written is named.
 */

import { parseConfig } from './check.ts';
import { asJson, ConfigError } from './error.ts';
import { allowed, describeConfig, getConfigValue } from './fields.ts';
import type { Assignment } from './methods.ts';
import { type PanelField, panelFields, textOf } from './panel-fields.ts';
import { defaultPreset, isPreset } from './preset-names.ts';
import type { Config, ConfigInput, ConfigValue } from './schema.ts';
import { asText, setConfigValues } from './text.ts';

export interface SettledConfig {
  readonly config: Config;
  /** One sentence for each value that is not used as it was written. */
  readonly notes: readonly string[];
}

/**
 * A config as another version of this project wrote it, or anybody. What it does not say has its default,
 * as it had when the setting did not exist yet.
 *
 * @param where it stood, as a note says it: `in this kept run`
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

/** The preset of this name, or the default one where there is none, which is named. */
export function settlePreset(
  name: string,
  where: string,
): { readonly preset: string; readonly notes: readonly string[] } {
  if (isPreset(name)) return { preset: name, notes: [] };
  const note = `preset was ${quoted(name)} ${where}, which this version does not have; ${defaultPreset} is used.`;
  return { preset: defaultPreset, notes: [note] };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parts of the longest path, `env.options.NAME`. */
const DEEPEST = 3;

/** Every value that a config holds, with its path; options of the environment one by one. */
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

/** A value as `setConfigValue` reads it, whatever it is. */
function written(value: unknown): string {
  const isPlain =
    typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean';
  if (isPlain) return asText(value);
  const isNumbers = Array.isArray(value) && value.every((one) => typeof one === 'number');
  return isNumbers ? asText(value) : asJson(value);
}

/**
 * Sets fields of a config that is valid by itself; of several values for one field the last counts.
 *
 * @param where the values stood, as a note says it: `in the address`
 */
export function settleValues(
  base: ConfigInput,
  asked: readonly Assignment[],
  where: string,
): SettledConfig {
  const values = [...new Map(asked)];
  if (values.length === 0) return { config: parseConfig(base), notes: [] };
  const start = inAddressed(parseConfig(base), values);
  // One for a field, the last that is said of it.
  const notes = new Map<string, string>();
  // Nearly every address is as the lab wrote it.
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
    const nearest =
      written === text ? '' : `, nor does the nearest possible value, ${shortly(text)}`;
    notes.delete(path);
    notes.set(
      path,
      `${path} was ${quoted(written)} ${where}, which does not go with the rest${nearest} (${message}); ${fallback(start, path)} is used.`,
    );
  }
  return { config, notes: [...notes.values()] };
}

/** Another environment than the base's has other options, so those of the base go. */
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
  /** Null for a value that cannot be used. */
  readonly text: string | null;
  readonly note: string | null;
}

/** One value by itself, whatever the others are. */
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
      // Only what is wrong with the value itself; what it does not go with is seen later.
      if (at !== path && !at.startsWith(`${path}.`)) return { text, note: null };
      const why = alone.message.replace(`${path}: `, '').replace(/, got .*$/, '');
      return {
        text: null,
        note: `${path} was ${quoted(text)} ${where}, which cannot be used (${why}); ${fallback(start, path)} is used.`,
      };
    }
    default:
      return field.type satisfies never;
  }
}

/** As many numbers as a list can have. */
const MOST_NUMBERS = 32;

/** NaN for what is not a number; `Infinity` is one, and ends up at a bound. */
function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/** The value nearest to this one that the field can have. */
function nearest(
  { min = -Infinity, max = Infinity, step, type, option }: PanelField,
  asked: number,
) {
  const within = Math.min(max, Math.max(min, asked));
  // An option counts its steps from its least value, a field of the schema from 0.
  const from = option === undefined ? 0 : min;
  if (step === undefined || (option === undefined && type === 'number')) return within;
  const steps = Math.round((within - from) / step);
  return Math.min(max, Math.max(min, from + steps * step));
}

/** Why the value is not the one that was asked for. */
function bound(field: PanelField, asked: number): string {
  const { min, max, step = 1 } = field;
  if (max !== undefined && asked > max) return `the most is ${max}`;
  if (min !== undefined && asked < min) return `the least is ${min}`;
  return step === 1 ? 'only whole numbers are possible' : `it goes in steps of ${step}`;
}

interface Combined {
  readonly config: Config;
  readonly dropped: readonly (readonly [Assignment, ConfigError])[];
}

/** All values that go together, of those that are each usable by themselves; the first ones first. */
function together(start: Config, values: readonly Assignment[]): Combined {
  const whole = attempt(start, values);
  if (!(whole instanceof ConfigError)) return { config: whole, dropped: [] };
  let config = start;
  let left = values;
  // A value may only go with one that comes after it, hence the second round.
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

/** The value that stands in for one that cannot be used, in words. */
function fallback(start: Config, path: string): string {
  const value = path.startsWith('env.options.')
    ? textOf(start, path)
    : asText(getConfigValue(start, path) satisfies ConfigValue);
  return value === '' || value === '[]' ? 'none' : shortly(value);
}

/** A value as a sentence shows it: numbers as they are, all else in quotation marks. */
export function quoted(text: string): string {
  return text.length <= 20 && Number.isFinite(numberOf(text)) ? text.trim() : `“${shortly(text)}”`;
}

function shortly(text: string): string {
  return text.length > 40 ? `${[...text.slice(0, 40)].slice(0, -1).join('')}…` : text;
}
