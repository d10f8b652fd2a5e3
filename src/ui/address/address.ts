/**
 * The page's address as a run: `?preset=maze&method=bapo&rollout.group_size=4`. Only what differs from
 * the preset under the method is written, so that an address stays short enough to share. A method is
 * adapted to small agents, or with `settings=published` as its paper has it.
 */

import { describeConfig, getConfigValue } from '../../config/fields.ts';
import {
  isInForm,
  type MethodForm,
  matchMethod,
  methods,
  withMethod,
} from '../../config/methods.ts';
import { defaultPreset } from '../../config/preset-names.ts';
import { findPreset, presetConfig } from '../../config/presets.ts';
import type { Config, ConfigValue } from '../../config/schema.ts';
import { quoted, settlePreset, settleValues } from '../../config/settle.ts';
import { asText } from '../../config/text.ts';
import { environmentIds, loadEnvironments, namedEnvironments } from '../../envs/registry.ts';

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

/** Parameters that say how a run is computed and what is shown beside it, and nothing of the run itself. */
const viewing = ['device', 'depth', 'embed', 'lesson', 'language'];

/** Parameters that name where a run starts from, and those above; all others are settings. */
const naming: ReadonlySet<string> = new Set([
  'preset',
  'method',
  'settings',
  'compare',
  'over',
  ...viewing,
]);

/** Whether an address says anything of a run. */
export function namesRun(search: string): boolean {
  return [...new URLSearchParams(search).keys()].some((key) => !viewing.includes(key));
}

/** What is wrong with `settings`, which says how a method is meant. */
function settingsNotes(settings: string | null, method: string | null): readonly string[] {
  if (settings === null) return [];
  if (settings !== 'published' && settings !== 'adapted') {
    return [
      `settings was ${quoted(settings)} ${WHERE}, but must be published or adapted; adapted is used.`,
    ];
  }
  return method === null
    ? [`settings says how a method is meant, but no method is named ${WHERE}; it is ignored.`]
    : [];
}

/** A run as an address asks for it, as far as that can be had. */
export interface AddressReading extends AddressedRun {
  /** One sentence for each value that is not used as it was written. */
  readonly notes: readonly string[];
}

/**
 * Loads the worlds whose options an address sets, since options are checked by making what they name. An
 * address without any needs none.
 */
export async function loadAddressed(search: string): Promise<void> {
  const parameters = new URLSearchParams(search);
  if (![...parameters.keys()].some((key) => key.startsWith('env.'))) return;
  const { preset } = settlePreset(parameters.get('preset') ?? defaultPreset, WHERE);
  const named = namedEnvironments([...parameters.values()]);
  await loadEnvironments([...environmentIds(presetConfig(preset).env), ...named]);
}

/** What notes say of where a value stood. */
const WHERE = 'in the address';

/**
 * Reads the part of an address from the question mark on. What cannot be used is moved into its bounds or
 * left out, and named: no address is an error.
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
  const note = `method was ${quoted(name)} ${WHERE}, which does not exist; that of the preset is used.`;
  return { name: null, notes: [note] };
}

/**
 * The search part of the address of a run; empty for the default preset as it is. A long one, as with
 * a list of words of the user's own, is the part from `#?` on.
 */
export function writeAddress({ preset, config }: AddressedRun): string {
  const own = presetConfig(preset);
  const method = matchMethod(config);
  // As published a method is more than its name; a preset's own settings need no name.
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
    // Another environment begins with none of the preset's options.
    const elsewhere = type === 'options' && config.env.id !== base.env.id;
    const before = elsewhere ? {} : getConfigValue(base, path);
    if (asText(value) === asText(before)) continue;
    if (type === 'options' && typeof value === 'object' && holdsAll(value, before)) {
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

/**
 * An address as `writeAddress` gives it, or the part of one from `?` or `#?` on, in which a parameter has just
 * these values.
 *
 * @param values escaped where they have to be; none takes the parameter away
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

/** Changes the part of the page's address that `readAddress` reads, wherever it stands. */
export function rewriteAddress(change: (part: string) => string): void {
  const address = new URL(location.href);
  if (address.hash.startsWith('#?')) address.hash = change(address.hash);
  else address.search = change(address.search);
  history.replaceState(null, '', address);
}

/** Whether options name all that others name, so that writing them one by one says everything. */
function holdsAll(options: object, others: ConfigValue): boolean {
  return typeof others === 'object' && Object.keys(others).every((name) => name in options);
}
