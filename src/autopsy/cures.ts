/** Possible cures of a run, to be tried in forks of it. */

import { changesOf, configAt, withoutChanges } from '../config/changes.ts';
import type { Assignment } from '../config/methods.ts';
import { textOf } from '../config/panel-fields.ts';
import { inForce } from '../config/relevance.ts';
import type { Config } from '../config/schema.ts';
import { setConfigValues } from '../config/text.ts';
import {
  type Finding,
  type ModeName,
  type Remedy,
  changesOf as remedyChanges,
} from '../diagnosis/finding.ts';

/** A change to a run's settings or optimizer state. */
export interface Cure {
  /** Short description, such as `algorithm.gamma = 0.95`. */
  readonly name: string;
  /** The failure mode it cures; null for a cure that is always tried and belongs to no mode. */
  readonly mode: ModeName | null;
  readonly set: readonly Assignment[];
  /** Whether to reset the optimizer state (AdamW's moments) to zero. */
  readonly freshOptimizer: boolean;
}

/** The config with a cure, which overrides all recorded changes of its fields. */
export function cured(config: Config, { set }: Pick<Cure, 'set'>): Config {
  const paths = set.map(([path]) => path);
  return setConfigValues(withoutChanges(config, paths), set);
}

/** Whether a field already has this value in all iterations after `after`. */
function holds(config: Config, path: string, text: string, after: number): boolean {
  const turned = changesOf(config).some(
    (change) => change.path === path && change.iteration > after + 1,
  );
  return !turned && textOf(configAt(config, after + 1), path) === text;
}

/**
 * Whether a setting has no effect in a fork: stop conditions are not cures, and the learning rate
 * warm-up is over by then.
 */
function isIdle(path: string, config: Config, after: number): boolean {
  if (path.startsWith('stopping.')) return true;
  if (path === 'optimizer.warmup_updates' && after > 0) return true;
  return !inForce(path, (other) => textOf(config, other));
}

/**
 * Converts a remedy into a cure for this run.
 *
 * @returns null if the remedy names only a direction, changes nothing or gives an invalid config
 */
function cureOf(mode: ModeName, remedy: Remedy, config: Config, after: number): Cure | null {
  const set = remedyChanges(remedy)
    .map(({ setting: path, value: to }) => [path, String(to)] as const)
    .filter(([path, text]) => !holds(config, path, text, after));
  if (set.length === 0) return null;
  const name = set.map(([path, text]) => `${path} = ${text}`).join(', ');
  try {
    if (isIdle(remedy.setting ?? '', cured(config, { set }), after)) return null;
  } catch (error) {
    if (error instanceof Error && error.name === 'ConfigError') return null;
    throw error;
  }
  return { name, mode, set, freshOptimizer: false };
}

/**
 * The cures to try for a finding: its own remedies, those of its rivals and, if the forks share
 * earlier iterations, a reset of the optimizer state.
 *
 * @param after last iteration that all forks share; 0 if they share none
 */
export function curesOf(
  { mode, remedies, rivals }: Pick<Finding, 'mode' | 'remedies' | 'rivals'>,
  config: Config,
  after: number,
): readonly Cure[] {
  const cures = [{ mode, remedies }, ...rivals].flatMap(({ mode: of, remedies: all }) =>
    all.flatMap((remedy) => cureOf(of, remedy, config, after) ?? []),
  );
  const fresh: Cure = { name: 'a fresh optimizer', mode: null, set: [], freshOptimizer: true };
  return [...cures, ...(after > 0 ? [fresh] : [])].filter(
    ({ name }, place, all) => all.findIndex((other) => other.name === name) === place,
  );
}
