/**
 * A run as an address: `?preset=maze&method=bapo&rollout.group_size=4`. Only differences from the preset
 * are written, so that addresses stay short. Methods use settings adapted to small agents, or the paper's
 * settings with `settings=published`.
 */

import { describeConfig, getConfigValue } from '../../../config/fields.ts';
import {
  isInForm,
  type MethodForm,
  matchMethod,
  methods,
  withMethod,
} from '../../../config/methods.ts';
import { didYouMean } from '../../../config/nearest.ts';
import { defaultPreset } from '../../../config/preset-names.ts';
import { findPreset, presetConfig } from '../../../config/presets.ts';
import type { Config, ConfigValue } from '../../../config/schema.ts';
import { quoted, settlePreset, settleValues } from '../../../config/settle.ts';
import { asText } from '../../../config/text.ts';
import { environmentIds, loadEnvironments, namedEnvironments } from '../../../envs/registry.ts';
import type { KeptBase } from '../../../runs/checkpoint.ts';
import { visit } from './visits.ts';

/** Longer queries are written behind `#`, which is not sent to the server. */
const LONGEST_SEARCH = 2000;

export interface AddressedRun {
  readonly preset: string;
  readonly config: Config;
}

/** The part of a page's address that `readAddress` reads. */
export function addressPart({ search, hash }: Pick<Location, 'search' | 'hash'>): string {
  return hash.startsWith('#?') ? hash.slice(1) : search;
}

/** Parameters of the view, not of the run. */
const viewing = ['device', 'depth', 'embed', 'lesson', 'language'];

/** Parameters that are not settings. */
const naming: ReadonlySet<string> = new Set([
  'preset',
  'model',
  'method',
  'settings',
  'compare',
  'over',
  ...viewing,
]);

/** Whether an address specifies a run. */
export function namesRun(search: string): boolean {
  return [...new URLSearchParams(search).keys()].some((key) => !viewing.includes(key));
}

/** Notes on an invalid `settings` parameter. */
function settingsNotes(settings: string | null, method: string | null): readonly string[] {
  if (settings === null) return [];
  if (settings !== 'published' && settings !== 'adapted') {
    return [
      `The address has settings=${quoted(settings)}, which is neither published nor adapted; adapted is used.`,
    ];
  }
  return method === null
    ? [`The address has settings=${quoted(settings)} but names no method; it is ignored.`]
    : [];
}

/** The run of an address, with invalid values replaced. */
interface AddressReading extends AddressedRun {
  /** One sentence for each replaced value. */
  readonly notes: readonly string[];
}

/** Loads the environments whose options an address sets; validating options requires the environment. */
export async function loadAddressed(search: string): Promise<void> {
  const parameters = new URLSearchParams(search);
  if (![...parameters.keys()].some((key) => key.startsWith('env.'))) return;
  const { preset } = settlePreset(parameters.get('preset') ?? defaultPreset, WHERE);
  const named = namedEnvironments([...parameters.values()]);
  await loadEnvironments([...environmentIds(presetConfig(preset).env), ...named]);
}

/** Where a value comes from, for notes. */
const WHERE = 'in the address';

/**
 * Reads an address from the question mark on. Invalid values are clamped or dropped, with a note; never
 * throws.
 */
export function readAddress(search: string): AddressReading {
  const parameters = new URLSearchParams(search);
  const { preset, notes: unknown } = settlePreset(parameters.get('preset') ?? defaultPreset, WHERE);
  const method = settleMethod(parameters.get('method'));
  const settings = parameters.get('settings');
  const form: MethodForm = settings === 'published' ? 'published' : 'adapted';
  const base =
    method.name === null
      ? findPreset(preset).config
      : withMethod(presetConfig(preset), method.name, form);
  const asked = [...parameters].filter(([key]) => !naming.has(key));
  const { config, notes } = settleValues(base, asked, WHERE);
  return {
    preset,
    config,
    notes: [...unknown, ...method.notes, ...settingsNotes(settings, method.name), ...notes],
  };
}

function settleMethod(name: string | null): {
  readonly name: string | null;
  readonly notes: readonly string[];
} {
  if (name === null || methods.some((method) => method.name === name)) return { name, notes: [] };
  const note = `Unknown method ${quoted(name)} ${WHERE}; the preset’s method is used.${didYouMean(
    name,
    methods.map((method) => method.name),
  )}`;
  return { name: null, notes: [note] };
}

/** The address of a run, from `?` on; empty for the default preset. Long ones start with `#?`. */
export function writeAddress({ preset, config }: AddressedRun): string {
  const own = presetConfig(preset);
  const method = matchMethod(config);
  // A method is named only if it differs from the preset's.
  const form: MethodForm | null =
    method === null || isInForm(own, method, 'published')
      ? null
      : isInForm(config, method, 'published') && !isInForm(config, method, 'adapted')
        ? 'published'
        : method.name === matchMethod(own)?.name
          ? null
          : 'adapted';
  const base = method === null || form === null ? own : withMethod(own, method.name, form);
  const parameters = new URLSearchParams();
  if (preset !== defaultPreset) parameters.set('preset', preset);
  if (method !== null && form !== null) parameters.set('method', method.name);
  if (form === 'published') parameters.set('settings', form);
  for (const { path, type } of describeConfig()) {
    const value = getConfigValue(config, path);
    // Another environment does not inherit the preset's options.
    const elsewhere = type === 'options' && config.env.id !== base.env.id;
    const before = elsewhere ? {} : getConfigValue(base, path);
    if (asText(value) === asText(before)) continue;
    if (type === 'options' && typeof value === 'object' && holdsAll(value, before)) {
      for (const [name, option] of Object.entries(value)) {
        parameters.set(`${path}.${name}`, String(option));
      }
    } else {
      parameters.set(path, type === 'integers' ? String(value) : asText(value));
    }
  }
  const text = parameters.toString().replaceAll('%2C', ',').replaceAll('%2F', '/');
  if (text === '') return '';
  return text.length > LONGEST_SEARCH ? `#?${text}` : `?${text}`;
}

/**
 * Sets a parameter of an address from `writeAddress`.
 *
 * @param values already escaped; if there are none, the parameter is removed
 */
export function withParameter(address: string, name: string, ...values: readonly string[]): string {
  const others = address
    .replace(/^#?\?/, '')
    .split('&')
    .filter((part) => part !== '' && !part.startsWith(`${name}=`));
  const all = [...others, ...values.map((value) => `${name}=${value}`)];
  if (all.length === 0) return '';
  return `${address.startsWith('#') ? '#?' : '?'}${all.join('&')}`;
}

/** Adds a run's pretrained model to an address; `model.ts` reads it. */
export function withModel(address: string, base: KeptBase | null): string {
  return base === null
    ? address
    : withParameter(address, 'model', encodeURIComponent(modelParameter(base)));
}

export function modelParameter({ name, digest, adapter }: KeptBase): string {
  const { rank, alpha, base, targets } = adapter;
  return [digest, rank, alpha, base, targets.join('.'), name].join('~');
}

/** Changes the part of the page's address that `readAddress` reads, in the query or behind `#`. */
export function rewriteAddress(
  change: (part: string) => string,
  entry: 'push' | 'replace' = 'replace',
): void {
  const address = new URL(location.href);
  if (address.hash.startsWith('#?')) address.hash = change(address.hash);
  else address.search = change(address.search);
  visit(address, { entry });
}

/** Whether the first object has all keys of the second; only then can options be written one by one. */
function holdsAll(options: object, others: ConfigValue): boolean {
  return typeof others === 'object' && Object.keys(others).every((name) => name in options);
}
