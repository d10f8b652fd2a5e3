/** Config values as text, for flags, links and input boxes. */
import { parseConfig } from './check.ts';
import { ConfigError, shown } from './error.ts';
import { allowed, describeConfig, unknownField } from './fields.ts';
import type { Config, ConfigInput, ConfigValue } from './schema.ts';

/**
 * A copy of the config with one field set from text.
 * Lists are written `6,13,20`; an environment's option is `env.options.NAME`.
 *
 * @throws {ConfigError} for an unknown field or a value out of bounds.
 */
export function setConfigValue(config: Config, path: string, text: string): Config {
  return setConfigValues(config, [[path, text]]);
}

/** Like `setConfigValue` for several fields, validated together. */
export function setConfigValues(
  config: ConfigInput,
  assignments: readonly (readonly [path: string, text: string])[],
): Config {
  const draft: Record<string, unknown> = structuredClone(config);
  for (const [path, text] of assignments) assign(draft, path, readText(path, text));
  return parseConfig(draft);
}

function assign(draft: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let target = draft;
  for (const key of keys) {
    const child = target[key];
    const next: Record<string, unknown> =
      typeof child === 'object' && child !== null ? { ...child } : {};
    target[key] = next;
    target = next;
  }
  target[last] = value;
}

/** `__proto__` is excluded: an assignment to it would have no effect and raise no error. */
const optionPath = /^env\.options\.(?!__proto__$)[^.]+$/;

function readText(path: string, text: string): unknown {
  if (optionPath.test(path)) return readOption(text);
  const field = describeConfig().find((candidate) => candidate.path === path);
  if (field === undefined) throw unknownField(path);
  switch (field.type) {
    case 'integer':
    case 'number':
      return readNumber(path, text, allowed(field));
    case 'boolean':
      if (text === 'true') return true;
      if (text === 'false') return false;
      throw new ConfigError(path, `must be true or false, got ${shown(text)}`);
    case 'choice':
    case 'text':
      return text;
    case 'integers':
      return text
        .trim()
        .replace(/^\[(.*)\]$/, '$1')
        .split(',')
        .map((part) => readNumber(path, part, allowed(field)));
    case 'options':
    case 'mixture':
      try {
        return JSON.parse(text);
      } catch {
        throw new ConfigError(
          path,
          `must be ${allowed(field)}, written as JSON, got ${shown(text)}`,
        );
      }
    default:
      return field.type satisfies never;
  }
}

/** A number if the text is one, otherwise the text; the option checks the type. */
function readOption(text: string): number | string {
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : text;
}

function readNumber(path: string, text: string, wanted: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(number))
    throw new ConfigError(path, `must be ${wanted}, got ${shown(text)}`);
  return number;
}

/** A value as text that `setConfigValue` reads back. */
export function asText(value: ConfigValue): string {
  if (typeof value !== 'object') return String(value);
  const numbers = Array.isArray(value) && typeof value[0] === 'number';
  return numbers ? value.join(', ') : JSON.stringify(value);
}
