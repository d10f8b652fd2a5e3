/**
 * Settings that change during a run. The config lists them, so that anyone with the config can
 * reproduce the run: each change names the first iteration in which it applies.
 */

import { ConfigError, shown } from './error.ts';
import { type ConfigField, describeConfig, valueAt } from './fields.ts';
import type { Config } from './schema.ts';

/** One setting that changes. */
export interface Change {
  /** The first iteration in which it applies, from 1. */
  readonly iteration: number;
  /** One of `liveFields`. */
  readonly path: string;
  readonly value: number | string;
}

/**
 * The settings that may change during a run: those for playing and learning, but not those of the
 * network, the vocabulary or the tasks.
 */
const liveFields = [
  'optimizer.learning_rate',
  'algorithm.clip_low',
  'algorithm.clip_high',
  'bapo.target',
  'bapo.low_min',
  'bapo.low_max',
  'bapo.high_min',
  'bapo.high_max',
  'algorithm.entropy_coef',
  'horizon.schedule',
  'horizon.turns',
  'algorithm.kl_coef',
  'agent.temperature',
] as const;
export type LiveField = (typeof liveFields)[number];

/** New values of some of these settings. */
export type LiveValues = Readonly<Partial<Record<LiveField, number | string>>>;

/** Whether a setting may change while a run trains. */
function isLive(path: string): path is LiveField {
  return liveFields.some((field) => field === path);
}

const pattern = /^(\d{1,7}):([a-z_.]+)=(\S+)$/;

/**
 * The changes of a config, in the order in which they take effect.
 * @throws {ConfigError} for a text that is not a list of changes; values are checked with the
 *   config
 */
export function changesOf({ changes = '' }: { readonly changes?: string }): readonly Change[] {
  if (changes.trim() === '') return [];
  const list = changes.split(',').map((text) => readChange(text.trim()));
  const early = list.find(({ iteration }, i) => iteration < (list[i - 1]?.iteration ?? 1));
  if (early === undefined) return list;
  throw new ConfigError(
    'changes',
    `must begin at iteration 1 or later and be ordered by iteration, got ${shown(written(early))}`,
  );
}

function readChange(text: string): Change {
  const [, iteration = '', path = '', value = ''] = pattern.exec(text) ?? [];
  const field = describeConfig().find((candidate) => candidate.path === path);
  if (field === undefined || !isLive(path)) {
    throw new ConfigError(
      'changes',
      `each must be ITERATION:FIELD=VALUE with one of the fields ${liveFields.join(', ')}, got ${shown(text)}`,
    );
  }
  return { iteration: Number(iteration), path, value: readValue(field, value) };
}

/** A string that is not a number is returned unchanged; number fields reject it. */
function readValue({ type }: ConfigField, text: string): number | string {
  const number = Number(text);
  return type === 'choice' || Number.isNaN(number) ? text : number;
}

const written = ({ iteration, path, value }: Change) => `${iteration}:${path}=${value}`;

/**
 * The settings in effect in an iteration, without the list of changes; also works on a partial config.
 */
export function configAt<Settings extends { readonly changes?: string }>(
  config: Settings,
  iteration: number,
): Settings {
  if (!config.changes) return config;
  const known = inForce.get(config) ?? { list: changesOf(config), after: new Map() };
  inForce.set(config, known);
  const { list, after } = known;
  const count = list.filter((change) => change.iteration <= iteration).length;
  const settings = after.get(count) ?? changed({ ...config, changes: '' }, list.slice(0, count));
  after.set(count, settings);
  return settings as Settings;
}

/** Cached per config, because a diagnosis reads the settings of every iteration repeatedly. */
const inForce = new WeakMap<
  object,
  { readonly list: readonly Change[]; readonly after: Map<number, object> }
>();

/** The config with some settings replaced, unchecked. */
function changed<Settings extends object>(config: Settings, changes: readonly Change[]): Settings {
  const draft: Record<string, unknown> = Object.fromEntries(Object.entries(config));
  for (const { path, value } of changes) {
    const [section = '', key = ''] = path.split('.');
    draft[section] = { ...Object(draft[section]), [key]: value };
  }
  return draft as Settings;
}

/**
 * The config with changes added that take effect in an iteration. A change replaces an earlier one to
 * the same setting in the same iteration; one without effect is dropped. Changes scheduled for later
 * iterations still take effect. The result is not checked.
 */
export function withChanges(config: Config, iteration: number, values: LiveValues): Config {
  const before = configAt(config, iteration - 1);
  const others = changesOf(config).filter(
    (change) => change.iteration !== iteration || !Object.hasOwn(values, change.path),
  );
  const own = Object.entries(values)
    .filter(([path, value]) => valueAt(before, path.split('.')) !== value)
    .map(([path, value]) => ({ iteration, path, value }));
  const all = [...others, ...own].sort((a, b) => a.iteration - b.iteration);
  return { ...config, changes: all.map(written).join(', ') };
}

/**
 * The config without the changes of some settings, so that their initial values apply throughout.
 */
export function withoutChanges(config: Config, paths: readonly string[]): Config {
  const all = changesOf(config);
  const kept = all.filter(({ path }) => !paths.includes(path));
  return kept.length === all.length ? config : { ...config, changes: kept.map(written).join(', ') };
}
