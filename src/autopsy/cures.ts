/** Possible cures of a run, which forks of it can try. */

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

/** A change of a run's settings or of its optimizer's state. */
export interface Cure {
  /** Short description: `algorithm.gamma = 0.95`. */
  readonly name: string;
  /** The mode that it cures; null for a cure that is always tried and supports no mode. */
  readonly mode: ModeName | null;
  readonly set: readonly Assignment[];
  /** Continue with AdamW's moments set to zero. */
  readonly freshOptimizer: boolean;
}

/** The config with a cure, which overrides all later changes of its fields. */
export function cured(config: Config, { set }: Pick<Cure, 'set'>): Config {
  const paths = set.map(([path]) => path);
  return setConfigValues(withoutChanges(config, paths), set);
}

/** Whether a fork already has a value of a field in all iterations after a given one. */
function holds(config: Config, path: string, text: string, after: number): boolean {
  const turned = changesOf(config).some(
    (change) => change.path === path && change.iteration > after + 1,
  );
  return !turned && textOf(configAt(config, after + 1), path) === text;
}

/** Settings without effect in a fork: a run's end is not a cure, and its warm-up is over by then. */
function isIdle(path: string, config: Config, after: number): boolean {
  if (path.startsWith('stopping.')) return true;
  if (path === 'optimizer.warmup_updates' && after > 0) return true;
  return !inForce(path, (other) => textOf(config, other));
}

/**
 * A remedy as a cure of this run.
 * @returns null if the remedy names only a direction, would change nothing, or would give an invalid config
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
 * The cures to try for a finding: its own remedies, those of its rivals, and, if the forks share earlier
 * iterations, an optimizer without memory of them.
 * @param after the last iteration that all forks share; 0 if they share none
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
