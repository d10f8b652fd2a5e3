/** Metadata of every config field, read from the schema. */
import { z } from 'zod';
import { ConfigError } from './error.ts';
import { didYouMean } from './nearest.ts';
import { type Config, type ConfigValue, configSchema } from './schema.ts';

/** One field of the config, as a panel or a help text shows it. */
export interface ConfigField {
  /** Dotted path, for instance `rollout.group_size`. */
  readonly path: string;
  /** First part of the path, or `''` for a field at the top. */
  readonly section: string;
  readonly title: string;
  readonly description: string;
  readonly type:
    | 'integer'
    | 'number'
    | 'boolean'
    | 'choice'
    | 'text'
    | 'integers'
    | 'options'
    | 'mixture';
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly scale?: 'log';
  readonly unit?: string;
  /** The meaning of 0 if it is special, such as `off`. */
  readonly zero?: string;
  readonly choices?: readonly string[];
  /** The format of a text field. */
  readonly form?: string;
  readonly default: ConfigValue;
}

/** The accepted values of a field, such as `a whole number from 1 to 16`. */
export function allowed(field: ConfigField): string {
  const span =
    field.min === undefined && field.max === undefined
      ? ''
      : ` from ${field.min ?? '-∞'} to ${field.max ?? '∞'}`;
  switch (field.type) {
    case 'integer':
      return `a whole number${span}${field.step !== undefined && field.step > 1 ? `, a multiple of ${field.step}` : ''}`;
    case 'number':
      return `a number${span}`;
    case 'boolean':
      return 'true or false';
    case 'choice':
      return `one of ${(field.choices ?? []).join(', ')}`;
    case 'text':
      return field.form ?? 'a non-empty string';
    case 'integers':
      return `a list of 1 to 32 whole numbers, each${span}`;
    case 'options':
      return 'an object of numbers and strings';
    case 'mixture':
      return 'a list of environments, each with id, options and share';
    default:
      return field.type satisfies never;
  }
}

/** The value at a path of keys, or undefined. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found: unknown = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

/** Fields of a section, or all sections for `''`. */
function keysAt(section: string): string[] {
  const keys = new Set<string>();
  for (const field of describeConfig()) {
    const parts = field.path.split('.');
    if (section === '') keys.add(parts[0] ?? '');
    else if (parts.length > 1 && parts[0] === section) keys.add(parts[1] ?? '');
  }
  return [...keys];
}

/** The part of a JSON Schema that `describeConfig` reads. */
interface FieldSchema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly unit?: string;
  readonly zero?: string;
  readonly step?: number;
  readonly scale?: 'log';
  readonly form?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly default?: ConfigValue;
}

/** Sections that do not affect training: when a run stops and what is recorded. */
const beside: ReadonlySet<string> = new Set([
  'stopping',
  'evaluation',
  'diagnostics',
  'trajectories',
]);

/** Fields that affect training and differ; if there are none, a run of one config can resume with the other. */
export function learningDifferences(a: Config, b: Config): readonly string[] {
  return configDifferences(a, b).filter((path) => !beside.has(path.split('.')[0] ?? ''));
}

/** Fields in which two configs differ. */
export function configDifferences(a: Config, b: Config): readonly string[] {
  return describeConfig()
    .map(({ path }) => path)
    .filter(
      (path) => JSON.stringify(getConfigValue(a, path)) !== JSON.stringify(getConfigValue(b, path)),
    );
}

let fields: readonly ConfigField[] | undefined;

/** Every field of the config in order, read from the schema. */
export function describeConfig(): readonly ConfigField[] {
  if (fields === undefined) {
    const schema = z.toJSONSchema(configSchema, { io: 'input' }) as FieldSchema;
    fields = Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
      child.properties === undefined
        ? [describeField('', name, child)]
        : Object.entries(child.properties).map(([key, leaf]) => describeField(name, key, leaf)),
    );
  }
  return fields;
}

function describeField(section: string, key: string, schema: FieldSchema): ConfigField {
  const path = section === '' ? key : `${section}.${key}`;
  const type = fieldType(schema);
  const numbers = type === 'integers' ? (schema.items ?? {}) : schema;
  const { minimum, maximum } = numbers;
  const step = schema.step ?? (type === 'integer' || type === 'integers' ? 1 : undefined);
  if (schema.default === undefined) throw new Error(`the config field ${path} has no default`);
  return {
    path,
    section,
    title: schema.title ?? key,
    description: schema.description ?? '',
    type,
    ...(minimum === undefined ? {} : { min: minimum }),
    ...(maximum === undefined ? {} : { max: maximum }),
    ...(step === undefined ? {} : { step }),
    ...(schema.scale === undefined ? {} : { scale: schema.scale }),
    ...(schema.unit === undefined ? {} : { unit: schema.unit }),
    ...(schema.zero === undefined ? {} : { zero: schema.zero }),
    ...(schema.enum === undefined ? {} : { choices: schema.enum }),
    ...(schema.form === undefined ? {} : { form: schema.form }),
    default: schema.default,
  };
}

function fieldType(schema: FieldSchema): ConfigField['type'] {
  if (schema.enum !== undefined) return 'choice';
  switch (schema.type) {
    case 'integer':
    case 'number':
    case 'boolean':
      return schema.type;
    case 'array':
      return schema.items?.type === 'object' ? 'mixture' : 'integers';
    case 'object':
      return 'options';
    default:
      return 'text';
  }
}

/** The value of one field, for instance `getConfigValue(config, 'agent.temperature')`. */
export function getConfigValue(config: Config, path: string): ConfigValue {
  const value = valueAt(config, path.split('.'));
  if (value === undefined) throw unknownField(path);
  return value as ConfigValue;
}

/** The error for an unknown field: names the nearest one, else the fields of the section. */
export function unknownField(path: string): ConfigError {
  const near = didYouMean(
    path,
    describeConfig().map((field) => field.path),
  );
  if (near !== '') return new ConfigError(path, `unknown key.${near}`);
  const section = path.includes('.') ? (path.split('.')[0] ?? '') : '';
  const known = keysAt(section);
  return known.length > 0
    ? new ConfigError(path, `unknown key; known keys here are ${known.join(', ')}`)
    : new ConfigError(path, `unknown key; known sections are ${keysAt('').join(', ')}`);
}

/**
 * The title of the field at a path, such as `Learning rate`; the path itself if there is no such
 * field.
 */
export function fieldTitle(path: string): string {
  return describeConfig().find((field) => field.path === path)?.title ?? path;
}
