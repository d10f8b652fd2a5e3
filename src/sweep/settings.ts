/** The configs of a sweep's trials. */
import { ConfigError, shown } from '../config/error.ts';
import { allowed, describeConfig, unknownField } from '../config/fields.ts';
import { type Assignment, findMethod, methodSet, UnknownMethodError } from '../config/methods.ts';
import { didYouMean } from '../config/nearest.ts';
import { defaultPreset } from '../config/preset-names.ts';
import { findPreset, UnknownPresetError } from '../config/presets.ts';
import { type Config, type ConfigValue, configSchema } from '../config/schema.ts';
import { asText, setConfigValues } from '../config/text.ts';
import { SweepError } from './error.ts';
import { type Dimension, type Parameter, spanValue, type Value, type Values } from './space.ts';

/** Parameters that are flags of `npm run train` rather than config fields. */
const flags = ['preset', 'method', 'published'];

/**
 * The config of `npm run train` with these values as flags, applied in the same order: preset,
 * method, seed, then the fields.
 *
 * @throws {ConfigError} for an invalid combination of values
 */
export function trialConfig(values: Values, seed: number): Config {
  const base = findPreset(String(values.preset ?? defaultPreset)).config;
  const form = values.published === true ? 'published' : 'adapted';
  const method =
    values.method === undefined ? [] : methodSet(findMethod(String(values.method)), form);
  return setConfigValues(base, [...method, ['seed', String(seed)], ...fieldsOf(values)]);
}

function fieldsOf(values: Values): readonly Assignment[] {
  return Object.entries(values)
    .filter(([path]) => !flags.includes(path))
    .map(([path, value]): Assignment => [path, asText(value as ConfigValue)]);
}

/** Text as one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return /^[\w.,:/=+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The flags of `npm run train` that reproduce a run. */
export function trialFlags(values: Values, seed: number): string {
  const { preset, method, published } = values;
  return [
    ...(preset === undefined ? [] : [`--preset ${preset}`]),
    ...(method === undefined ? [] : [`--method ${method}`]),
    ...(published === true ? ['--published'] : []),
    `--seed ${seed}`,
    ...fieldsOf(values).map(([path, text]) => `--set ${shellQuoted(`${path}=${text}`)}`),
  ].join(' ');
}

/**
 * Checks each parameter separately: the field must exist and accept the values. Invalid
 * combinations are detected when a trial is created.
 *
 * @throws {SweepError}
 */
export function checkSettings(parameters: readonly Parameter[]): void {
  const names = new Set(parameters.map(({ path }) => path));
  if (names.has('published') && !names.has('method')) {
    throw new SweepError(
      'parameters.published',
      'selects the settings of a method’s paper; add method, or omit it',
    );
  }
  for (const { path, dimension } of parameters) {
    const at = `parameters.${path}`;
    for (const value of extremes(dimension)) checkValue(path, value, at);
  }
}

/** The values to check: all values of a list, or the bounds of a range. */
function extremes(dimension: Dimension): readonly Value[] {
  if (dimension.kind === 'choice') return dimension.values;
  const { low, high, normal } = dimension;
  const places = normal === null ? [low, high] : [normal.mu];
  return places.map((place) => spanValue(dimension, place));
}

function checkValue(path: string, value: Value, at: string): void {
  try {
    if (path === 'preset') findPreset(nameFrom(path, value));
    else if (path === 'method') findMethod(nameFrom(path, value));
    else if (path === 'published') checkFlag(value);
    else checkField(path, value);
  } catch (error) {
    if (error instanceof UnknownPresetError || error instanceof UnknownMethodError) {
      throw new SweepError(at, error.message);
    }
    if (!(error instanceof ConfigError)) throw error;
    throw new SweepError(at, error.message.replace(`${error.path}: `, ''));
  }
}

function nameFrom(path: string, value: Value): string {
  if (typeof value === 'string') return value;
  throw new ConfigError(path, `must be a name, got ${shown(value)}`);
}

function checkFlag(value: Value): void {
  if (typeof value !== 'boolean') throw new ConfigError('published', 'must be true or false');
}

function checkField(path: string, value: Value): void {
  // The options depend on the environment, which may itself be a parameter.
  if (/^env\.options\.[^.]+$/.test(path)) return;
  const field = describeConfig().find((candidate) => candidate.path === path);
  if (field === undefined) throw unknownField(path);
  const draft = path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  if (configSchema.safeParse(draft).success) return;
  const near = typeof value === 'string' ? didYouMean(value, field.choices ?? []) : '';
  throw new ConfigError(
    path,
    `must be ${allowed(field)}, got ${shown(value)}${near === '' ? '' : `.${near}`}`,
  );
}
