/**
 * The page's address as a run: `?preset=maze&method=bapo&rollout.group_size=4`. Only what differs from
 * the preset under the method is written, so that an address stays short enough to share.
 */

import {
  type Config,
  ConfigError,
  describeConfig,
  getConfigValue,
  setConfigValues,
} from '../runs/config.ts';
import { matchMethod, UnknownMethodError, withMethod } from '../runs/methods.ts';
import { defaultPreset, findPreset, presetConfig, UnknownPresetError } from '../runs/presets.ts';
import { asText } from './store-settings.ts';

/** Addresses longer than this are written behind `#`, which no server has to read. */
const LONGEST_SEARCH = 2000;

export interface AddressedRun {
  readonly preset: string;
  readonly config: Config;
}

/** The part of a page's address that `readAddress` reads. */
export function addressPart({ search, hash }: Pick<Location, 'search' | 'hash'>): string {
  return hash.startsWith('#?') ? hash.slice(1) : search;
}

/**
 * Reads the part of an address from the question mark on.
 *
 * @throws {UnknownPresetError} for a preset that does not exist.
 * @throws {UnknownMethodError} for a method that does not exist.
 * @throws {ConfigError} for a key that does not exist or a value out of bounds.
 */
export function readAddress(search: string): AddressedRun {
  const parameters = new URLSearchParams(search);
  const preset = parameters.get('preset') ?? defaultPreset;
  const method = parameters.get('method');
  const base =
    method === null ? findPreset(preset).config : withMethod(presetConfig(preset), method);
  const assignments = [...parameters].filter(([key]) => key !== 'preset' && key !== 'method');
  return { preset, config: setConfigValues(base, assignments) };
}

/**
 * The search part of the address of a run; empty for the default preset as it is. A long one, as with
 * a list of words of the user's own, is the part from `#?` on.
 */
export function writeAddress({ preset, config }: AddressedRun): string {
  const own = presetConfig(preset);
  const method = matchMethod(config);
  const named = method !== null && method.name !== matchMethod(own)?.name;
  const base = named ? withMethod(own, method.name) : own;
  const parameters = new URLSearchParams();
  if (preset !== defaultPreset) parameters.set('preset', preset);
  if (named) parameters.set('method', method.name);
  for (const { path, type } of describeConfig()) {
    const value = getConfigValue(config, path);
    if (asText(value) === asText(getConfigValue(base, path))) continue;
    if (type === 'options' && typeof value === 'object') {
      for (const [name, option] of Object.entries(value)) {
        parameters.set(`${path}.${name}`, String(option));
      }
    } else {
      parameters.set(path, asText(value));
    }
  }
  const text = parameters.toString().replaceAll('%2C+', ',').replaceAll('%2F', '/');
  if (text === '') return '';
  return text.length > LONGEST_SEARCH ? `#?${text}` : `?${text}`;
}

/** Whether an error says that the address cannot be read. */
export function isAddressError(
  error: unknown,
): error is ConfigError | UnknownPresetError | UnknownMethodError {
  return (
    error instanceof ConfigError ||
    error instanceof UnknownPresetError ||
    error instanceof UnknownMethodError
  );
}
